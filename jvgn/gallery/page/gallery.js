"use strict";

// Okabe and Ito's colours, which colour-blind readers can tell apart, the last two darker: they are also read as text on
// white. The referent's comes first.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#3D9BD1"];
const OUTCOMES = {
  "corrected": "Its own words pointed elsewhere; message passing found it.",
  "broken": "Its own words had found it; message passing lost it.",
  "ambiguous": "Found, but by a small margin.",
  "missing region": "No region covers it, so nothing could find it.",
  "parse": "The scene graph lost an object or took another for the referent.",
  "wrong referent": "A region covers it, but another was chosen.",
  "right": "Found by its own words and after message passing.",
};
const SVG = "http://www.w3.org/2000/svg";
const page = JSON.parse(document.getElementById("data").textContent);
const view = { id: null, belief: "after", node: null, outcome: "", size: "", split: "", words: "" };
const byId = (id) => document.getElementById(id);

function element(parent, name, attributes = {}, text = null) {
  const made = parent.namespaceURI === SVG || name === "svg" ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  parent.append(made);
  return made;
}

const best = (values) => values.indexOf(Math.max(...values));
const current = () => page.examples.find((example) => example.id === view.id);

function colours(example) {
  const order = [example.referent, ...example.nodes.keys()].filter((node, place, all) => all.indexOf(node) === place);
  return example.nodes.map((_, node) => COLOURS[order.indexOf(node) % COLOURS.length]);
}

function fits(example) {
  const text = example.tokens.join(" ").toLowerCase();
  return (!view.outcome || example.outcome === view.outcome)
    && (!view.size || String(example.nodes.length) === view.size)
    && (!view.split || example.split === view.split)
    && view.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

// The address holds the whole view, so that it can be shared.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of ["outcome", "size", "split", "words"]) view[key] = given.get(key) ?? "";
  view.belief = given.get("belief") === "before" ? "before" : "after";
  view.id = given.has("id") ? Number(given.get("id")) : null;
  const node = Number(given.get("node"));
  view.node = given.has("node") && current()?.nodes[node] ? node : null;
}

function writeAddress() {
  const kept = Object.entries(view).filter(([key, value]) => value !== null && value !== "" && !(key === "belief" && value === "after"));
  history.replaceState(null, "", "#" + new URLSearchParams(kept));
}

// Once: a button that is made anew loses the keyboard's focus.
function makeOutcomes() {
  for (const outcome of ["", ...Object.keys(OUTCOMES)]) {
    const count = page.examples.filter((example) => !outcome || example.outcome === outcome).length;
    if (!count) continue;
    const label = `${outcome || "all"} ${count}`;
    const title = outcome ? `${OUTCOMES[outcome]} ${page.counts[outcome]} in all of the evaluation.` : "";
    const button = element(byId("outcomes"), "button", { type: "button", title, "data-outcome": outcome }, label);
    button.onclick = () => change({ outcome });
  }
}

function drawFilters() {
  for (const button of byId("outcomes").children) button.setAttribute("aria-pressed", view.outcome === button.dataset.outcome);
  byId("sizes").value = view.size;
  byId("splits").value = view.split;
  if (byId("words").value.trim() !== view.words) byId("words").value = view.words;  // leaves a blank that is being typed
}

function drawList(found) {
  const list = byId("list");
  list.replaceChildren();
  for (const example of found) {
    const link = element(list, "a", { href: `#id=${example.id}`, "data-id": example.id });
    if (example.id === view.id) link.setAttribute("aria-current", "true");
    element(link, "img", { src: page.images[example.image], alt: "", loading: "lazy" });
    const words = element(link, "span", {}, example.tokens.join(" "));
    element(words, "small", {}, example.outcome);
    link.onclick = (event) => { event.preventDefault(); change({ id: example.id, node: null }); };
  }
  byId("count").textContent = `${found.length} of ${page.examples.length} expressions`;
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function answersTo(target, node) {
  target.dataset.node = node;
  target.onmouseenter = () => { lit = node; drawBeliefs(); };
  target.onmouseleave = () => { lit = null; drawBeliefs(); };
  target.onclick = () => change({ node: view.node === node ? null : node });
}

let lit = null;  // the node under the pointer; a tap or a key pins one as view.node
const shownNode = () => lit ?? view.node;

function drawSentence(example) {
  const sentence = byId("sentence"), colour = colours(example);
  sentence.replaceChildren();
  example.tokens.forEach((token, place) => {
    const node = example.nodes.findIndex((other) => other.tokens.includes(place));
    const edge = example.edges.findIndex((other) => other.tokens.includes(place));
    const span = element(sentence, "span", {}, token);
    if (node >= 0) {
      span.style.color = colour[node];
      answersTo(span, node);
    } else if (edge >= 0) {
      const { subject, object } = example.edges[edge];
      span.dataset.edge = edge;
      span.title = `${example.nodes[subject].head} → ${example.nodes[object].head}`;
    }
    sentence.append(" ");
  });
}

function drawVerdict(example) {
  byId("verdict").textContent = `${example.outcome}: ${OUTCOMES[example.outcome]} Expression ${example.id}, ${example.split}.`;
}

function drawImage(example) {
  const svg = byId("image"), [width, height] = example.size, unit = Math.max(width, height) / 100;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", example.tokens.join(" "));
  element(svg, "image", { href: page.images[example.image], width, height });
  const [x1, y1, x2, y2] = example.gold, room = 1.5 * unit;
  const around = [x1 - room, y1 - room, x2 + room, y2 + room];  // not under the box of a referent that was found
  box(svg, around, { stroke: "#fff", "stroke-width": 1.2 * unit, class: "gold" });
  box(svg, around, { stroke: "#000", "stroke-width": .7 * unit, "stroke-dasharray": `${2 * unit} ${1.5 * unit}`, class: "gold" });
  const layer = element(svg, "g", { id: "boxes" }), colour = colours(example);
  const nodes = shownNode() === null ? example.nodes.keys() : [shownNode()], taken = {};
  for (const node of nodes) {
    const values = example.nodes[node][view.belief];
    const regions = shownNode() === null ? [best(values)] : [...values.keys()].filter((region) => values[region] >= .01 || region === best(values));
    for (const region of regions.sort((one, other) => values[one] - values[other])) {
      const group = element(layer, "g", { "data-node": node, "data-region": region, opacity: shownNode() === null ? 1 : .35 + .65 * values[region] });
      const earlier = taken[region] ?? 0, inside = shrunk(example.regions[region], 1.7 * unit * earlier);
      taken[region] = earlier + 1;  // objects that share a region: one box inside the other, tags side by side
      box(group, inside, { stroke: "#fff", "stroke-width": 1.7 * unit });
      box(group, inside, { stroke: colour[node], "stroke-width": unit });
      const text = shownNode() === null ? String(node + 1) : values[region].toFixed(2), [x1, y1] = example.regions[region];
      tag(group, text, [x1 + 5 * unit * earlier, y1], colour[node], unit, width);
    }
  }
}

const shrunk = ([x1, y1, x2, y2], by) => [x1 + by, y1 + by, Math.max(x1 + by, x2 - by), Math.max(y1 + by, y2 - by)];

function box(parent, [x1, y1, x2, y2], style) {
  return element(parent, "rect", { x: x1, y: y1, width: x2 - x1, height: y2 - y1, fill: "none", ...style });
}

function tag(parent, text, [x1, y1], colour, unit, width) {
  const size = 4.2 * unit, wide = (text.length * .62 + .5) * size;
  const x = Math.min(Math.max(0, x1), width - wide), y = Math.max(0, y1 - size * 1.2);
  element(parent, "rect", { x, y, width: wide, height: size * 1.2, fill: colour });
  element(parent, "text", { x: x + size * .25, y: y + size * .95, "font-size": size, fill: "#fff", "font-weight": 600 }, text);
}

// The referent stands at the left; what is related to it, directly or by way of others, in columns to its right.
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

function drawGraph(example) {
  const svg = byId("graph"), colour = colours(example), { depth, row, rows } = layout(example);
  const wide = 118, gap = 92, tall = 46, step = 62;
  svg.replaceChildren();
  const width = (Math.max(...depth) + 1) * (wide + gap) - gap + 4, height = (rows - 1) * step + tall + 4;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  svg.setAttribute("aria-label", "scene graph");
  const marker = element(element(svg, "defs"), "marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" });
  element(marker, "path", { d: "M0 0L8 4L0 8z", fill: "#5c6570" });
  const left = (node) => 2 + depth[node] * (wide + gap), middle = (node) => 2 + row[node] * step + tall / 2;
  for (const { subject, relation, object } of example.edges) {
    const [near, far] = depth[subject] < depth[object] ? [subject, object] : [object, subject];
    const ends = { x1: left(near) + wide, y1: middle(near), x2: left(far), y2: middle(far) };
    element(svg, "line", { ...ends, stroke: "#5c6570", "stroke-width": 1.4, [far === object ? "marker-end" : "marker-start"]: "url(#arrow)" });
    const label = relation.length > 15 ? relation.slice(0, 14) + "…" : relation;
    const text = element(svg, "text", { x: (ends.x1 + ends.x2) / 2, y: (ends.y1 + ends.y2) / 2 - 5, "text-anchor": "middle", "font-size": 12, fill: "#1b1f24", stroke: "#fff", "stroke-width": 3, "paint-order": "stroke" }, label);
    element(text, "title", {}, relation);
  }
  example.nodes.forEach((node, index) => {
    const group = element(svg, "g"), y = middle(index) - tall / 2, referent = index === example.referent;
    element(group, "rect", { x: left(index), y, width: wide, height: tall, rx: 7, fill: "#fff", stroke: colour[index], "stroke-width": referent ? 3.5 : 1.8 });
    const head = `${index + 1} ${node.head}`;
    const centre = left(index) + wide / 2, extra = node.attributes.join(", ");
    const fit = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
    element(group, "text", { x: centre, y: y + (extra ? 19 : 28), "text-anchor": "middle", "font-size": 14, "font-weight": 600, fill: colour[index] }, fit(head, 15));
    if (extra) element(group, "text", { x: centre, y: y + 36, "text-anchor": "middle", "font-size": 12, fill: "#5c6570" }, fit(extra, 19));
    element(group, "title", {}, [node.head, extra, referent ? "the referent" : ""].filter(Boolean).join("; "));
    answersTo(group, index);
  });
}

function drawBars(example) {
  const area = byId("beliefs"), colour = colours(example);
  area.replaceChildren();
  example.nodes.forEach((node, index) => {
    const row = element(area, "div", { class: "belief" });
    row.style.borderColor = colour[index];
    const region = best(node[view.belief]), name = element(row, "b", {}, `${index + 1} ${node.tokens.map((place) => example.tokens[place]).join(" ")}`);
    name.style.color = colour[index];
    const value = node[view.belief][region].toFixed(2);
    element(row, "span", { class: "number" }, `region ${region + 1}: ${value} ${view.belief}`);
    const wide = 100 / node.before.length, bars = element(row, "svg", { viewBox: "0 0 100 26", preserveAspectRatio: "none" });
    element(bars, "line", { x1: 0, x2: 100, y1: 25.5, y2: 25.5, stroke: "#aab3bd", "stroke-width": .5 });
    node.before.forEach((before, place) => {
      for (const [belief, p, x] of [["before", before, .12], ["after", node.after[place], .5]]) {
        const shade = belief === view.belief ? 1 : .28;
        const bar = element(bars, "rect", { x: (place + x) * wide, y: 25.5 - 25 * p, width: .36 * wide, height: 25 * p, fill: colour[index], opacity: shade });
        element(bar, "title", {}, `region ${place + 1}, ${belief}: ${p.toFixed(2)}`);
      }
    });
    answersTo(row, index);
  });
}

// Only what changes under the pointer: what it is over must stay the same element.
function drawBeliefs() {
  drawImage(current());
  for (const part of document.querySelectorAll("#sentence [data-node], #graph [data-node], .belief")) {
    part.classList.toggle("lit", Number(part.dataset.node) === shownNode());
  }
}

function draw() {
  const found = page.examples.filter(fits);
  if (!found.some((example) => example.id === view.id)) {
    view.id = found[0]?.id ?? null;
    view.node = null;
  }
  lit = null;
  drawFilters();
  drawList(found);
  byId("detail").hidden = view.id === null;
  byId("nothing").hidden = view.id !== null;
  if (view.id !== null) {
    const example = current();
    drawSentence(example);
    drawVerdict(example);
    drawGraph(example);
    drawBars(example);
    drawBeliefs();
    for (const belief of ["before", "after"]) byId(belief).setAttribute("aria-pressed", view.belief === belief);
  }
  writeAddress();
}

function change(what) {
  Object.assign(view, what);
  draw();
}

function step(by) {
  const found = page.examples.filter(fits), place = found.findIndex((example) => example.id === view.id);
  const next = found[place + by];
  if (next) change({ id: next.id, node: null });
}

function press(event) {
  if (event.target.matches("input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const digit = Number(event.key) - 1;
  if (event.key === "ArrowLeft") step(-1);
  else if (event.key === "ArrowRight") step(1);
  else if (event.key === "b") change({ belief: view.belief === "after" ? "before" : "after" });
  else if (event.key === "Escape") change({ node: null });
  else if (event.key === "/") byId("words").focus();
  else if (current()?.nodes[digit]) change({ node: digit });
  else return;
  event.preventDefault();
}

function choices(select, values) {
  const inOrder = (one, other) => one.localeCompare(other, "en", { numeric: true });  // 10 objects after 2
  for (const value of [...new Set(values)].sort(inOrder)) element(byId(select), "option", { value }, value);
}

makeOutcomes();
choices("sizes", page.examples.map((example) => String(example.nodes.length)));
choices("splits", page.examples.map((example) => example.split));
byId("filters").onsubmit = (event) => event.preventDefault();
byId("sizes").onchange = (event) => change({ size: event.target.value });
byId("splits").onchange = (event) => change({ split: event.target.value });
byId("words").oninput = (event) => change({ words: event.target.value.trim() });
byId("before").onclick = () => change({ belief: "before" });
byId("after").onclick = () => change({ belief: "after" });
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
document.onkeydown = press;
onhashchange = () => { readAddress(); draw(); };
readAddress();
draw();
