"use strict";

const OUTCOMES = {
  "corrected": "Not found before messages; found after message passing.",
  "broken": "Found before messages; lost after message passing.",
  "ambiguous": "Found, but by a small margin.",
  "missing region": "No region covers it, so no method can find it.",
  "parse": "The scene graph lacks an object or has another referent.",
  "wrong referent": "A region covers it, but another was chosen.",
  "right": "Found before messages and after message passing.",
};
const CONTEXTS = { "wrong": " Some other object was not found.", "right": " All other objects were found." };
const page = JSON.parse(byId("data").textContent);
const view = { id: null, belief: "after", node: null, outcome: "", size: "", split: "", context: "", missing: "", words: "" };
const current = () => page.examples.find((example) => example.id === view.id);
const pointing = { move: drawPointed, pin };

// Whether some object is probably not in the picture, by a model that can say so.
const isDoubtful = (example) => example.nodes.some(({ notFound }) => notFound > .5);

function fits(example) {
  const text = example.tokens.join(" ").toLowerCase();
  return (!view.outcome || example.outcome === view.outcome)
    && (!view.size || String(example.nodes.length) === view.size)
    && (!view.split || example.split === view.split)
    && (!view.context || example.context === view.context)
    && (!view.missing || (view.missing === "yes") === isDoubtful(example))
    && view.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

// The address holds the whole view, so that it can be shared.
function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of ["outcome", "size", "split", "context", "missing", "words"]) view[key] = given.get(key) ?? "";
  view.belief = given.get("belief") === "before" ? "before" : "after";
  view.id = given.get("id") ? Number(given.get("id")) : null;
  const lacking = given.get("id") && !current();
  byId("lacking").hidden = !lacking;
  if (lacking) byId("lacking").textContent = `Expression ${given.get("id")} is not among the ${page.examples.length} of this gallery. Here is another.`;
  const nodes = (given.get("node") ?? "").split(",").map((text) => text === "" ? NaN : Number(text));
  view.node = nodes.every((node) => current()?.nodes[node]) ? nodes : null;
}

function writeAddress() {
  const kept = Object.entries(view).filter(([key, value]) => value !== null && value !== "" && !(key === "belief" && value === "after"));
  history.replaceState(null, "", "#" + new URLSearchParams(kept));
}

// Once: a button that is made anew loses the keyboard's focus.
function makeOutcomes() {
  for (const outcome of ["", ...Object.keys(OUTCOMES)]) {
    const count = page.examples.filter((example) => !outcome || example.outcome === outcome).length;
    const label = `${outcome || "all"} ${count}`;
    const title = outcome ? `${OUTCOMES[outcome]} ${page.counts[outcome] ?? 0} in all of the evaluation.` : "";
    const button = element(byId("outcomes"), "button", { type: "button", title, "data-outcome": outcome }, label);
    button.disabled = !count;
    button.onclick = () => change({ outcome });
  }
}

function drawFilters() {
  for (const button of byId("outcomes").children) button.setAttribute("aria-pressed", view.outcome === button.dataset.outcome);
  byId("sizes").value = view.size;
  byId("splits").value = view.split;
  byId("contexts").value = view.context;
  byId("missing").value = view.missing;
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
    link.onclick = (event) => { event.preventDefault(); choose(example.id); };
  }
  byId("count").textContent = `${found.length} of ${page.examples.length} expressions`;
  const shown = list.querySelector("[aria-current]");
  if (shown) list.scrollTo({ left: shown.offsetLeft - list.offsetLeft, top: shown.offsetTop - list.offsetTop - list.clientHeight / 3 });
}

function choose(id) {
  change({ id, node: null });
  if (narrow.matches) byId("detail").scrollIntoView();  // there, the list is below
}

function drawPointed() {
  const example = current();
  drawImage(byId("image"), example, page.images[example.image], view.belief);
  lightUp(example);
}

// Draws no more than it must: a part that is made anew loses the keyboard's focus.
function pin(nodes) {
  view.node = pointed.pinned = nodes;
  drawPointed();
  writeAddress();
}

function drawExample(example) {
  drawSentence(byId("sentence"), example, pointing);
  byId("verdict").textContent = `${example.outcome}: ${OUTCOMES[example.outcome]}${CONTEXTS[example.context] ?? ""} Expression ${example.id}, ${example.split}.`;
  drawGraph(byId("graph"), example, pointing);
  drawBeliefRows(byId("beliefs"), example, view.belief, pointing);
  drawPointed();
  for (const belief of ["before", "after"]) byId(belief).setAttribute("aria-pressed", view.belief === belief);
}

function draw() {
  const found = page.examples.filter(fits);
  if (!found.some((example) => example.id === view.id)) {
    view.id = found[0]?.id ?? null;
    view.node = null;
  }
  Object.assign(pointed, { at: null, pinned: view.node });
  drawFilters();
  drawList(found);
  byId("detail").hidden = view.id === null;
  byId("nothing").hidden = view.id !== null;
  if (view.id !== null) drawExample(current());
  writeAddress();
}

function change(what) {
  byId("lacking").hidden = true;
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
  else if (event.key === "Escape") pin(null);
  else if (event.key === "/") byId("words").focus();
  else if (event.key !== " " && current()?.nodes[digit]) pin([digit]);
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
byId("of-context").hidden = !page.examples.some((example) => example.context);  // nothing is annotated beside referents
byId("of-missing").hidden = !page.examples.some((example) => example.nodes.some(({ notFound }) => typeof notFound === "number"));
byId("missing").onchange = (event) => change({ missing: event.target.value });
byId("contexts").onchange = (event) => change({ context: event.target.value });
byId("splits").onchange = (event) => change({ split: event.target.value });
byId("words").oninput = (event) => change({ words: event.target.value.trim() });
byId("before").onclick = () => change({ belief: "before" });
byId("after").onclick = () => change({ belief: "after" });
byId("previous").onclick = () => step(-1);
byId("next").onclick = () => step(1);
document.onkeydown = press;
onOtherWidth(draw);
onhashchange = () => { readAddress(); draw(); };
readAddress();
draw();
