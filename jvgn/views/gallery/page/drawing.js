"use strict";

// Drawing for both the gallery and the explorer: a sentence, its image, its scene graph and the beliefs of its objects.

// Okabe and Ito's colours, which colour-blind readers can tell apart, the last two darker: they are also read as text on
// white. The referent's comes first.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#3D9BD1"];
const SVG = "http://www.w3.org/2000/svg";
const narrow = matchMedia("(max-width: 760px)");
const byId = (id) => document.getElementById(id);

function element(parent, name, attributes = {}, text = null) {
  const made = parent.namespaceURI === SVG || name === "svg" ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  parent.append(made);
  return made;
}

const best = (values) => values.indexOf(Math.max(...values));
// Where an object is found: after message passing, in the region that the run's decoding chose.
const foundIn = (node, belief) => belief === "after" && node.region !== undefined ? node.region : best(node[belief]);
// "Not found" is one more region after the others, without a box, where the model can say so.
const isNull = (example, region) => region === example.regions.length;
const regionName = (example, region) => isNull(example, region) ? "not found" : `region ${region + 1}${example.names ? ` ${example.names[region]}` : ""}`;
const phrase = (example, node) => example.nodes[node].tokens.map((place) => example.tokens[place]).join(" ");

function colours(example) {
  const order = [example.referent, ...example.nodes.keys()].filter((node, place, all) => all.indexOf(node) === place);
  return example.nodes.map((_, node) => COLOURS[order.indexOf(node) % COLOURS.length]);
}

// The objects that a person points at: one, or both ends of a relation. A tap or a key pins them. null means all.
const pointed = { at: null, pinned: null };
const shownNodes = () => pointed.at ?? pointed.pinned;
const same = (one, other) => String(one) === String(other);

// `pointing.move` draws what lights up under the pointer; `pointing.pin` gets the objects that were tapped.
function answersTo(target, nodes, pointing) {
  target.onmouseenter = () => { pointed.at = nodes; pointing.move(); };
  target.onmouseleave = () => { pointed.at = null; pointing.move(); };
  target.onclick = () => {
    pointed.at = null;  // a finger never leaves, as a pointer does
    pointing.pin(same(pointed.pinned, nodes) ? null : nodes);
  };
}

// The same for the keyboard, for parts that are stops of its tabulator.
function answersToKeys(target, name) {
  target.setAttribute("tabindex", 0);
  target.setAttribute("role", "button");
  target.setAttribute("aria-label", name);
  target.onfocus = target.onmouseenter;
  target.onblur = target.onmouseleave;
  target.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    target.onclick();
  };
}

const ends = ({ subject, object }) => [subject, object];

function drawSentence(sentence, example, pointing) {
  const colour = colours(example);
  sentence.replaceChildren();
  example.tokens.forEach((token, place) => {
    const node = example.nodes.findIndex((other) => other.tokens.includes(place));
    const edge = example.edges.findIndex((other) => other.tokens.includes(place));
    const span = element(sentence, "span", {}, token);
    if (node >= 0) {
      span.dataset.node = node;
      span.style.color = colour[node];
      answersTo(span, [node], pointing);
    } else if (edge >= 0) {
      const [subject, object] = ends(example.edges[edge]);
      span.dataset.edge = edge;
      span.title = `${example.nodes[subject].head} → ${example.nodes[object].head}`;
      answersTo(span, [subject, object], pointing);
    }
    sentence.append(" ");
  });
}

// Nothing pointed at: the region that each object is found in. Else all regions of those objects that have a chance.
function drawImage(svg, example, picture, belief) {
  const [width, height] = example.size, unit = Math.max(width, height) / 100;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", example.tokens.join(" "));
  element(svg, "image", { href: picture, width, height });
  const colour = colours(example), nodes = shownNodes(), taken = {};
  if (example.gold) drawGold(svg, example.gold, unit, "#000");
  for (const node of nodes ?? example.nodes.keys()) {
    if (example.nodes[node].gold) drawGold(svg, example.nodes[node].gold, unit, colour[node]);
  }
  const layer = element(svg, "g", { id: "boxes" });
  for (const node of nodes ?? example.nodes.keys()) {
    const values = example.nodes[node][belief], found = foundIn(example.nodes[node], belief);
    const regions = nodes === null ? [found] : [...values.keys()].filter((region) => values[region] >= .01 || region === found);
    for (const region of regions.sort((one, other) => values[one] - values[other])) {
      if (isNull(example, region)) continue;
      const group = element(layer, "g", { "data-node": node, "data-region": region, opacity: nodes === null ? 1 : .35 + .65 * values[region] });
      const earlier = taken[region] ?? 0, inside = shrunk(example.regions[region], 1.7 * unit * earlier);
      taken[region] = earlier + 1;  // objects that share a region: one box inside the other, tags side by side
      drawBox(group, inside, { stroke: "#fff", "stroke-width": 1.7 * unit });
      drawBox(group, inside, { stroke: colour[node], "stroke-width": unit });
      const text = nodes === null ? String(node + 1) : values[region].toFixed(2), [x1, y1] = example.regions[region];
      drawTag(group, text, [x1 + (nodes === null ? 5 : 11.5) * unit * earlier, y1], colour[node], unit, width);
    }
  }
}

function drawGold(svg, [x1, y1, x2, y2], unit, colour) {
  const room = 1.5 * unit, around = [x1 - room, y1 - room, x2 + room, y2 + room];  // not under the box of an object that was found
  drawBox(svg, around, { stroke: "#fff", "stroke-width": 1.2 * unit, class: "gold" });
  drawBox(svg, around, { stroke: colour, "stroke-width": .7 * unit, "stroke-dasharray": `${2 * unit} ${1.5 * unit}`, class: "gold" });
}

const shrunk = ([x1, y1, x2, y2], by) => [x1 + by, y1 + by, Math.max(x1 + by, x2 - by), Math.max(y1 + by, y2 - by)];

function drawBox(parent, [x1, y1, x2, y2], style) {
  return element(parent, "rect", { x: x1, y: y1, width: x2 - x1, height: y2 - y1, fill: "none", ...style });
}

function drawTag(parent, text, [x1, y1], colour, unit, width) {
  const size = 4.2 * unit, wide = (text.length * .62 + .5) * size;
  const x = Math.min(Math.max(0, x1), width - wide), y = Math.max(0, y1 - size * 1.2);
  element(parent, "rect", { x, y, width: wide, height: size * 1.2, fill: colour });
  element(parent, "text", { x: x + size * .25, y: y + size * .95, "font-size": size, fill: "#fff", "font-weight": 600 }, text);
}

// How many steps each object is from the referent, and its place among those beside it.
function layout(example) {
  const depth = example.nodes.map(() => null), children = example.nodes.map(() => []);
  const roots = [example.referent, ...example.nodes.keys()];
  const neighbours = (node) => example.edges.flatMap(({ subject, object }) => subject === node ? [object] : object === node ? [subject] : []);
  const tops = roots.filter((root) => {
    if (depth[root] !== null) return false;
    depth[root] = 0;
    for (const queue = [root]; queue.length;) {
      const node = queue.shift();
      for (const other of neighbours(node)) {
        if (depth[other] !== null) continue;
        depth[other] = depth[node] + 1;
        children[node].push(other);
        queue.push(other);
      }
    }
    return true;
  });
  const row = [];
  let free = 0;
  const place = (node) => {
    children[node].forEach(place);
    const rows = children[node].map((child) => row[child]);
    row[node] = rows.length ? (rows[0] + rows.at(-1)) / 2 : free++;
  };
  tops.forEach(place);
  return { depth, row, rows: free };
}

const WIDE = 118, TALL = 46;  // of the box of an object

// The referent stands at the left and what is related to it in columns to its right. Where there is no room for them, it
// stands on top and the others in rows below: a graph that is shrunk to fit cannot be read.
function places(example, room) {
  const { depth, row, rows } = layout(example), far = Math.max(...depth) + 1;
  const across = (columns, step) => (columns - 1) * step + WIDE + 4;
  const upright = across(far, WIDE + 92) > 1.25 * room;
  const [stepX, stepY] = upright ? [WIDE + 14, TALL + 52] : [WIDE + 92, TALL + 26];
  const spot = (node) => {
    const [column, line] = upright ? [row[node], depth[node]] : [depth[node], row[node]];
    return { x: 2 + column * stepX, y: 2 + line * stepY };
  };
  const side = (node, behind) => {
    const { x, y } = spot(node);
    return upright ? [x + WIDE / 2, y + (behind ? TALL : 0)] : [x + (behind ? WIDE : 0), y + TALL / 2];
  };
  const [columns, lines] = upright ? [rows, far] : [far, rows];
  return { spot, side, depth, upright, width: across(columns, stepX), height: (lines - 1) * stepY + TALL + 4 };
}

function drawGraph(svg, example, pointing) {
  const { spot, side, depth, upright, width, height } = places(example, svg.parentElement.clientWidth), colour = colours(example);
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("aria-label", "scene graph");
  const marker = element(element(svg, "defs"), "marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" });
  element(marker, "path", { d: "M0 0L8 4L0 8z", fill: "#5c6570" });
  example.edges.forEach((edge, index) => {
    const [near, far] = depth[edge.subject] < depth[edge.object] ? [edge.subject, edge.object] : [edge.object, edge.subject];
    const [x1, y1] = side(near, true), [x2, y2] = side(far, false), group = element(svg, "g", { "data-edge": index, "data-near": near });
    drawRelation(group, edge, { x1, y1, x2, y2 }, far === edge.object ? "marker-end" : "marker-start", upright, pointing);
  });
  example.nodes.forEach((node, index) => drawObject(svg, node, index, spot(index), colour[index], index === example.referent, pointing));
}

const fit = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

function drawRelation(group, edge, line, head, upright, pointing) {
  element(group, "line", { ...line, stroke: "transparent", "stroke-width": 22 });  // a line alone is hard to hit
  element(group, "line", { ...line, class: "line", stroke: "#5c6570", "stroke-width": 1.4, [head]: "url(#arrow)" });
  // Lines part towards their far ends, and so must what is written on them.
  const [along, lift] = upright ? [.66, 4] : [.55, -5];
  const place = { x: line.x1 + along * (line.x2 - line.x1), y: line.y1 + along * (line.y2 - line.y1) + lift };
  element(group, "text", { ...place, "text-anchor": "middle", "font-size": 12, fill: "#1b1f24", stroke: "#fff", "stroke-width": 3, "paint-order": "stroke" }, fit(edge.relation, 15));
  element(group, "title", {}, edge.relation);
  answersTo(group, ends(edge), pointing);
  answersToKeys(group, `relation ${edge.relation}`);
}

function drawObject(svg, node, index, { x, y }, colour, referent, pointing) {
  const group = element(svg, "g", { "data-node": index }), centre = x + WIDE / 2, extra = node.attributes.join(", ");
  element(group, "rect", { x, y, width: WIDE, height: TALL, rx: 7, fill: "#fff", stroke: colour, "stroke-width": referent ? 3.5 : 1.8 });
  element(group, "text", { x: centre, y: y + (extra ? 19 : 28), "text-anchor": "middle", "font-size": 14, "font-weight": 600, fill: colour }, fit(`${index + 1} ${node.head}`, 15));
  if (extra) element(group, "text", { x: centre, y: y + 36, "text-anchor": "middle", "font-size": 12, fill: "#5c6570" }, fit(extra, 19));
  element(group, "title", {}, [node.head, extra, referent ? "the referent" : ""].filter(Boolean).join("; "));
  answersTo(group, [index], pointing);
}

// A row an object: the probabilities of all regions before message passing and after it, those of `belief` in full colour.
function drawBeliefRows(area, example, belief, pointing, label = belief) {
  const colour = colours(example);
  area.replaceChildren();
  example.nodes.forEach((node, index) => {
    const row = element(area, "div", { class: "belief", "data-node": index }), name = `${index + 1} ${phrase(example, index)}`;
    row.style.borderColor = colour[index];
    element(row, "b", {}, name).style.color = colour[index];
    const region = foundIn(node, belief);
    const doubtful = belief === "after" && node.notFound > .5 ? `not found: ${node.notFound.toFixed(2)}; else ` : "";
    element(row, "span", { class: "number" }, `${doubtful}${regionName(example, region)}: ${node[belief][region].toFixed(2)} ${label}`);
    const faint = belief === "after" ? [.28, 1] : [1, .28];
    drawBars(row, example, colour[index], [["before", node.before, faint[0]], [label === belief ? "after" : label, node.after, faint[1]]]);
    answersTo(row, [index], pointing);
    answersToKeys(row, name);
  });
}

// Bars for each region, side by side: [name, values, opacity] for each kind.
function drawBars(parent, example, colour, kinds) {
  const count = kinds[0][1].length, wide = 100 / count, each = .76 / kinds.length;
  const bars = element(parent, "svg", { class: "bars", viewBox: "0 0 100 26", preserveAspectRatio: "none" });
  element(bars, "line", { x1: 0, x2: 100, y1: 25.5, y2: 25.5, stroke: "#aab3bd", "stroke-width": .5 });
  for (let region = 0; region < count; region++) {
    kinds.forEach(([name, values, opacity], kind) => {
      const value = values[region], x = (region + .12 + kind * each) * wide;
      const bar = element(bars, "rect", { x, y: 25.5 - 25 * value, width: .95 * each * wide, height: 25 * value, fill: isNull(example, region) ? "#5c6570" : colour, opacity });
      element(bar, "title", {}, `${regionName(example, region)}, ${name}: ${value.toFixed(2)}`);
    });
  }
}

// Marks what is pointed at; what the pointer is over must stay the same element.
function lightUp(example) {
  const nodes = shownNodes();
  for (const part of document.querySelectorAll("#sentence [data-node], #graph [data-node], .belief")) {
    part.classList.toggle("lit", nodes?.includes(Number(part.dataset.node)) ?? false);
  }
  for (const part of document.querySelectorAll("#sentence [data-edge], #graph [data-edge]")) {
    part.classList.toggle("lit", same(nodes, ends(example.edges[part.dataset.edge])));
  }
}

// Another width leaves another room; a phone's browser changes the height whenever one scrolls.
function onOtherWidth(redraw) {
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    redraw();
  });
}
