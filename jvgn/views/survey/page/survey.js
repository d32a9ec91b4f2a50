"use strict";

// Okabe and Ito's colours, which colour-blind readers can tell apart, the last two darker: they are also read as text on white.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#3D9BD1"];
const SVG = "http://www.w3.org/2000/svg";
const page = JSON.parse(document.getElementById("data").textContent);
const place = `jvgn-survey-${page.survey}`;
const byId = (id) => document.getElementById(id);
const state = { rater: "", answers: {}, at: 0, part: "start", saved: true };
const hasBefore = page.examples.every((example) => example.objects.every((one) => "before" in one));
const hasReferent = page.examples.some((example) => example.objects.some((one) => one.is_referent));
const hasRelations = page.examples.some((example) => example.relations.length);

function element(parent, name, attributes = {}, text = null) {
  const made = parent.namespaceURI === SVG ? document.createElementNS(SVG, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  parent.append(made);
  return made;
}

// A closed tab must not cost a rater an hour's work.
function keep() {
  try {
    localStorage.setItem(place, JSON.stringify(state));
  } catch {
    byId("unkept").hidden = false;
  }
}

function recall() {
  try {
    const kept = JSON.parse(localStorage.getItem(place));
    if (kept && kept.answers && page.examples[kept.at]) Object.assign(state, kept);
  } catch {
    byId("unkept").hidden = false;
  }
}

const rated = () => Object.keys(state.answers).length;
const colour = (object) => COLOURS[object % COLOURS.length];

function drawSentence(example) {
  const sentence = byId("sentence");
  sentence.replaceChildren();
  element(sentence, "span", {}, `“${example.sentence}”`);
}

function drawImage(example) {
  const svg = byId("image"), { url, size: [width, height] } = page.images[example.image], unit = Math.max(width, height) / 100;
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-label", example.sentence);
  element(svg, "image", { href: url, width, height });
  const taken = {};
  example.objects.forEach((object, index) => {
    const earlier = taken[object.box] ?? 0;  // objects in one box: one frame inside the other, tags side by side
    taken[object.box] = earlier + 1;
    const by = 1.7 * unit * earlier, [x1, y1, x2, y2] = object.box;
    const frame = { x: x1 + by, y: y1 + by, width: Math.max(0, x2 - x1 - 2 * by), height: Math.max(0, y2 - y1 - 2 * by), fill: "none" };
    const group = element(svg, "g", { class: "object" });
    element(group, "rect", { ...frame, stroke: "#fff", "stroke-width": 1.7 * unit });
    element(group, "rect", { ...frame, stroke: colour(index), "stroke-width": unit });
    const tall = 5 * unit, wide = 4.6 * unit;
    const x = Math.min(Math.max(0, x1 + 5 * unit * earlier), width - wide), y = Math.max(0, y1 - tall);
    element(group, "rect", { x, y, width: wide, height: tall, fill: colour(index) });
    element(group, "text", { x: x + wide / 2, y: y + .8 * tall, "font-size": .85 * tall, "font-weight": 600, fill: "#fff", "text-anchor": "middle" }, String(index + 1));
  });
}

function drawBelief(parent, name, value, shade) {
  const row = element(parent, "div", { class: "belief" });
  element(row, "span", {}, name);
  const bar = element(element(row, "div", { class: "bar" }), "div");
  bar.style.width = `${100 * value}%`;
  bar.style.background = shade;
  element(row, "output", {}, `${Math.round(100 * value)}%`);
}

function drawObjects(example) {
  const list = byId("objects");
  list.replaceChildren();
  example.objects.forEach((object, index) => {
    const item = element(list, "li"), name = element(item, "b", {}, `${index + 1} ${object.phrase}${object.is_referent ? " ★" : ""}`);
    item.style.borderColor = name.style.color = colour(index);
    if (hasBefore) drawBelief(item, "before", object.before, "#8a949f");
    drawBelief(item, hasBefore ? "after" : "sure", object.after, colour(index));
  });
}

function drawRelations(example) {
  const list = byId("relations");
  list.replaceChildren();
  byId("relations-part").hidden = !hasRelations;
  const named = (index) => `${index + 1} ${example.objects[index].phrase}`;
  for (const { subject, relation, object } of example.relations) {
    const item = element(list, "li");
    element(item, "b", {}, named(subject)).style.color = colour(subject);
    item.append(` — ${relation} → `);
    element(item, "b", {}, named(object)).style.color = colour(object);
  }
  if (!example.relations.length) element(list, "li", {}, "none");
}

function drawScale(example) {
  const scale = byId("scale");
  if (!scale.children.length) {
    page.scale.forEach((word, index) => {
      const button = element(scale, "button", { type: "button" });
      element(button, "small", {}, String(index + 1));
      button.append(word);
      button.onclick = () => answer(index + 1);
    });
  }
  [...scale.children].forEach((button, index) => button.setAttribute("aria-pressed", state.answers[example.id] === index + 1));
}

function drawEnd() {
  const left = page.examples.length - rated();
  byId("done").textContent = left ? `${rated()} of ${page.examples.length} rated` : `Thank you, ${state.rater}: all ${page.examples.length} are rated.`;
  byId("missing").textContent = left ? `${left} ${left === 1 ? "example is" : "examples are"} left. You can go back to them, or save what you have.` : "";
}

function draw() {
  for (const part of ["start", "example", "end"]) byId(part).hidden = state.part !== part;
  const bar = byId("progress");
  bar.setAttribute("aria-valuemax", page.examples.length);
  bar.setAttribute("aria-valuenow", rated());
  bar.firstElementChild.style.width = `${100 * rated() / page.examples.length}%`;
  byId("count").textContent = (state.part === "example" ? `Example ${state.at + 1} of ${page.examples.length} · ` : "") + `${rated()} rated`;
  if (state.part === "end") drawEnd();
  if (state.part !== "example") return;
  const example = page.examples[state.at];
  drawSentence(example);
  drawImage(example);
  drawObjects(example);
  drawRelations(example);
  drawScale(example);
  byId("previous").disabled = state.at === 0;
  byId("next").disabled = state.at === page.examples.length - 1;
}

function change(what) {
  Object.assign(state, what);
  keep();
  draw();
}

function answer(value) {
  const { id } = page.examples[state.at];
  const answers = { ...state.answers, [id]: value };
  const last = state.at === page.examples.length - 1;
  change({ answers, saved: false, at: last ? state.at : state.at + 1, part: last ? "end" : "example" });
  scrollTo(0, 0);
}

function step(by) {
  const at = state.at + by;
  if (page.examples[at]) change({ at });
}

// Back to what is left to do, or to where the rater was.
function resume() {
  const left = page.examples.findIndex((example) => !(example.id in state.answers));
  change({ part: "example", at: left >= 0 ? left : state.at });
}

function save() {
  const found = { format: "1", survey: page.survey, rater: state.rater, answers: state.answers };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(found, null, 1) + "\n"], { type: "application/json" }));
  link.download = `answers-${state.rater.replace(/[^\p{L}\p{N}]+/gu, "-")}-${page.survey}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  change({ saved: true });
  byId("saved").textContent = `Saved as ${link.download}.`;
}

function press(event) {
  if (state.part !== "example" || event.ctrlKey || event.metaKey || event.altKey) return;
  const value = Number(event.key);
  if (Number.isInteger(value) && value >= 1 && value <= page.scale.length) {
    if (!event.repeat) answer(value);  // a key held down would rate what nobody has looked at
  } else if (event.key === "ArrowLeft") step(-1);
  else if (event.key === "ArrowRight") step(1);
  else return;
  event.preventDefault();
}

byId("question").textContent = page.question;
for (const part of document.querySelectorAll(".with-before")) part.hidden = !hasBefore;
for (const part of document.querySelectorAll(".with-relations")) part.hidden = !hasRelations;
for (const part of document.querySelectorAll(".with-referent")) part.hidden = !hasReferent;
byId("who").onsubmit = (event) => {
  event.preventDefault();
  const rater = byId("rater").value.trim();
  if (rater) change({ rater, part: "example" });
};
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
byId("finish").onclick = () => change({ part: "end" });
byId("back").onclick = resume;
byId("save").onclick = save;
document.onkeydown = press;
onbeforeunload = (event) => { if (!state.saved && !byId("unkept").hidden) event.preventDefault(); };
recall();
draw();
