"use strict";

const MOST_LISTED = 60;
const view = { picture: null, step: 0 };
let about = { pictures: [], mostBytes: 0 };
let answer = null;  // to the last question; null before the first answer
let asked = 0;  // questions so far: an answer that a later question overtook is dropped
const pointing = { move: drawPointed, pin };
const source = (name) => `/pictures/${encodeURIComponent(name)}`;

async function send(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("The explorer does not answer. Check that `jvgn explore` is still running.");
  }
  const received = await response.json();
  if (!response.ok) throw new Error(received.error);
  return received;
}

const ask = (graph) => send("/answers", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ picture: view.picture, text: byId("text").value, graph }),
});

// Whatever goes wrong comes as one line.
async function attempt(work) {
  byId("error").hidden = true;
  document.body.classList.add("busy");
  try {
    await work();
  } catch (error) {
    byId("error").textContent = error.message;
    byId("error").hidden = false;
  }
  document.body.classList.remove("busy");
}

function ground(graph = null) {
  return attempt(async () => {
    if (view.picture === null) throw new Error("Choose or upload a picture first.");
    const number = ++asked, received = await ask(graph);
    if (number !== asked) return;
    answer = received;
    view.step = answer.messages.length;
    Object.assign(pointed, { at: null, pinned: null });
    setDraft(answer);
    draw();
    byId("answer").scrollIntoView({ block: "nearest" });  // a form below may have asked
    if (graph === null) history.replaceState(null, "", "#" + new URLSearchParams({ picture: view.picture, text: byId("text").value }));
  });
}

function choosePicture(name) {
  asked++;
  answer = null;
  view.picture = name;
  draw();
  const loaded = new Image();
  loaded.onload = () => { if (view.picture === name && !answer) drawBarePicture(loaded); };
  loaded.onerror = () => { if (view.picture === name) attempt(() => send(source(name))); };  // an image cannot say why
  loaded.src = source(name);
  if (narrow.matches) byId("detail").scrollIntoView();
}

function upload(file) {
  return attempt(async () => {
    if (file.size > about.mostBytes) throw new Error(`This file has more than ${about.mostBytes / 2 ** 20} MB; make the picture smaller.`);
    const { name } = await send("/pictures", { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
    choosePicture(name);
  });
}

// What the objects believe after so many messages.
function stepped() {
  const nodes = answer.nodes.map((node) => view.step === answer.messages.length ? { ...node } : { ...node, after: node.before, region: undefined });
  if (view.step < answer.messages.length) for (const { target, after } of answer.messages.slice(0, view.step)) nodes[target].after = after;
  return { ...answer, nodes };
}

function goTo(step) {
  if (!answer) return;
  view.step = Math.min(Math.max(step, 0), answer.messages.length);
  drawStep();
}

function pin(nodes) {
  pointed.pinned = nodes;
  drawPointed();
}

function drawPointed() {
  const example = stepped();
  drawImage(byId("image"), example, source(view.picture), "after");
  lightUp(example);
}

// The regions of one object with other numbers than its beliefs: a message, or the belief before it.
function drawOnly(node, values) {
  const example = stepped();
  example.nodes[node].after = values;
  pointed.at = [node];
  drawImage(byId("image"), example, source(view.picture), "after");
  pointed.at = null;
}

function drawBarePicture(loaded) {
  const svg = byId("image"), width = loaded.naturalWidth, height = loaded.naturalHeight;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  element(svg, "image", { href: loaded.src, width, height });
}

function drawStep() {
  const example = stepped(), message = answer.messages[view.step - 1];
  byId("step").max = answer.messages.length;
  byId("step").value = view.step;
  for (const id of ["first", "previous"]) byId(id).disabled = view.step === 0;
  for (const id of ["next", "last"]) byId(id).disabled = view.step === answer.messages.length;
  drawGraph(byId("graph"), example, pointing);
  drawBeliefRows(byId("beliefs"), example, "after", pointing, "now");
  drawRules(example);
  drawCaption(example);
  drawTelling(example, message);
  drawPointed();
}

// The source and the target of a message, and how it changes the belief of the target.
function drawTelling(example, message) {
  const telling = byId("telling"), rows = byId("message"), count = answer.messages.length;
  telling.replaceChildren();
  rows.replaceChildren();
  if (!message) {
    telling.textContent = count ? `No message sent yet, ${count} to come: each object alone.` : "Only one object, so no messages.";
    if (count === 0 && answer.nodes.length > 1) telling.textContent = "No relations, so no messages.";
    return;
  }
  const { says, before, after } = message, colour = colours(example), region = best(after);
  const name = (node) => { element(telling, "b", {}, `${node + 1} ${phrase(example, node)}`).style.color = colour[node]; };
  telling.append(`Message ${view.step} of ${count}: `);
  name(message.source);
  telling.append(" to ");
  name(message.target);
  telling.append(` along “${example.edges[message.edge].relation}”, which favours ${regionName(example, best(says))}.`);
  element(telling, "small", {}, `Its belief in ${regionName(example, region)} goes from ${before[region].toFixed(2)} to ${after[region].toFixed(2)}.`);
  for (const [label, values, of] of [["message", says, message.source], ["belief before", before, message.target], ["belief after", after, message.target]]) {
    const row = element(rows, "div", { class: "row" });
    element(row, "span", {}, label);
    drawBars(row, example, colour[of], [[label, values, 1]]);
    row.onmouseenter = () => drawOnly(message.target, values);
    row.onmouseleave = drawPointed;
  }
  drawArrow(message, colour[message.source]);
}

// Beside the relation's own arrow, which may point the other way, and under all that is written.
function drawArrow({ source: from, target, edge }, colour) {
  const svg = byId("graph"), group = svg.querySelector(`[data-edge="${edge}"]`), line = group.querySelector(".line");
  const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((key) => Number(line.getAttribute(key)));
  const length = Math.hypot(x2 - x1, y2 - y1), ahead = [(x2 - x1) / length, (y2 - y1) / length];
  const beside = (x, y, by) => ({ x: x - 10 * ahead[1] + by * ahead[0], y: y + 10 * ahead[0] + by * ahead[1] });
  const near = beside(x1, y1, 8), far = beside(x2, y2, -8);
  const [start, end] = Number(group.dataset.near) === from ? [near, far] : [far, near];
  const marker = element(svg.querySelector("defs"), "marker", { id: "sent", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 4, markerHeight: 4, orient: "auto" });
  element(marker, "path", { d: "M0 0L8 4L0 8z", fill: colour });
  const arrow = element(svg, "line", { class: "sent", "data-from": from, "data-to": target, x1: start.x, y1: start.y, x2: end.x, y2: end.y, stroke: colour, "stroke-width": 4, "marker-end": "url(#sent)" });
  svg.querySelector("defs").after(arrow);
}

// What each rule added to the logit of the region that an object is found in, after the last message.
function drawRules(example) {
  if (view.step < answer.messages.length) return;
  for (const row of byId("beliefs").children) {
    const said = example.nodes[row.dataset.node].rules.filter(({ logit }) => Math.abs(logit) >= .005);
    const parts = said.map(({ rule, words, logit }) => `${rule}${words ? ` “${words}”` : ""} ${logit.toFixed(1).replace("-", "−")}`);
    if (parts.length) element(row, "small", { class: "rules" }, `Rules: ${parts.join(", ")}`);
  }
}

function drawCaption(example) {
  const lost = [...example.nodes.keys()].filter((node) => isNull(example, foundIn(example.nodes[node], "after")));
  const names = lost.map((node) => `${node + 1} ${phrase(example, node)}`);
  byId("caption").textContent = "The most probable region of each object, numbered as in the graph." + (lost.length ? ` Not found: ${names.join(", ")}.` : "");
}

function drawRemarks() {
  const remarks = [];
  if (answer.edited) remarks.push(`This graph is not the sentence's own: it is read as “${answer.tokens.join(" ")}”.`);
  if (answer.fallback) remarks.push("No object was found in these words: together they stand for one.");
  if (answer.unknown.length) remarks.push(`Not in the run's vocabulary: ${answer.unknown.map((word) => `“${word}”`).join(", ")}. The model reads all such words as one.`);
  if (answer.stored !== null) remarks.push(`Regions: stored, of image ${answer.stored}.`);
  remarks.push(...answer.notes.map((note) => `Note: ${note}.`));
  byId("remarks").textContent = remarks.join(" ");
  const warnings = [...answer.doubts];
  if (about.ofUploads && view.picture.startsWith("upload-")) warnings.unshift(about.ofUploads);
  byId("warnings").replaceChildren(...warnings.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  byId("warnings").hidden = !warnings.length;
}

function draw() {
  drawList();
  drawSuggestions();
  for (const id of ["answer", "side", "editor"]) byId(id).hidden = answer === null;
  byId("caption").textContent = view.picture === null ? "No picture yet." : "";
  byId("image").replaceChildren();
  if (!answer) return;
  drawSentence(byId("sentence"), answer, pointing);
  drawRemarks();
  drawStep();
}

function drawList() {
  const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = about.pictures.filter(({ sentences }) => !words.length || sentences.some((text) => words.every((word) => text.toLowerCase().includes(word))));
  const listed = found.slice(0, MOST_LISTED), rest = found.length - listed.length;
  byId("count").textContent = `${found.length} of ${about.pictures.length} pictures` + (rest ? `, the first ${listed.length} below` : "");
  byId("list").replaceChildren();
  for (const { name, split, sentences } of listed) {
    const link = element(byId("list"), "a", { href: `#picture=${name}`, "data-name": name });
    if (name === view.picture) link.setAttribute("aria-current", "true");
    element(link, "img", { src: `/thumbnails/${name}`, alt: "", loading: "lazy" });
    const said = element(link, "span", {}, sentences.find((text) => words.every((word) => text.toLowerCase().includes(word))) ?? "");
    element(said, "small", {}, sentences.length ? `${split}, ${sentences.length} sentences` : split);
    link.onclick = (event) => { event.preventDefault(); choosePicture(name); };
  }
}

function drawSuggestions() {
  byId("suggestions").replaceChildren();
  const own = about.pictures.find(({ name }) => name === view.picture);
  for (const text of own?.sentences.slice(0, 12) ?? []) {
    const button = element(byId("suggestions"), "button", { type: "button" }, text);
    button.onclick = () => { byId("text").value = text; ground(); };
  }
}

function press(event) {
  if (event.target.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey || !answer) return;
  const digit = Number(event.key) - 1;
  if (event.key === "ArrowLeft") goTo(view.step - 1);
  else if (event.key === "ArrowRight") goTo(view.step + 1);
  else if (event.key === "Escape") pin(null);
  else if (event.key !== " " && answer.nodes[digit]) pin([digit]);
  else return;
  event.preventDefault();
}

async function start() {
  about = await send("/about");
  byId("title").textContent = document.title = about.title;
  const given = new URLSearchParams(location.hash.slice(1));
  draw();
  const [first] = about.opens ? about.pictures : [];
  const opened = given.has("picture") ? { picture: given.get("picture"), text: given.get("text") } : { picture: first?.name, text: first?.sentences[0] };
  if (!opened.picture) return;
  choosePicture(opened.picture);
  byId("text").value = opened.text ?? "";
  if (byId("text").value) await ground();
}

byId("asking").onsubmit = (event) => { event.preventDefault(); ground(); };
byId("draft").onsubmit = (event) => { event.preventDefault(); ground(draftedGraph()); };
byId("reset").onclick = () => ground();
byId("file").onchange = ({ target }) => {
  if (target.files.length) upload(target.files[0]);
  target.value = "";  // so that choosing the same file again, once fixed, is a change
};
byId("words").oninput = drawList;
byId("step").oninput = (event) => goTo(Number(event.target.value));
byId("first").onclick = () => goTo(0);
byId("previous").onclick = () => goTo(view.step - 1);
byId("next").onclick = () => goTo(view.step + 1);
byId("last").onclick = () => goTo(answer.messages.length);
document.onkeydown = press;
onOtherWidth(draw);
attempt(start);
