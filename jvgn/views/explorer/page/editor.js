"use strict";

// The scene graph as a form. `draft` holds what the form says.
let draft = { nodes: [], edges: [], referent: 0 };

function setDraft(graph) {
  draft = {
    nodes: graph.nodes.map(({ head, attributes }) => ({ head, attributes: attributes.join(", ") })),
    edges: graph.edges.map(({ subject, relation, object }) => ({ subject, relation, object })),
    referent: graph.referent,
  };
  drawDraft();
}

// As the server takes it.
function draftedGraph() {
  const listed = (text) => text.split(",").map((part) => part.trim()).filter(Boolean);
  return {
    nodes: draft.nodes.map(({ head, attributes }) => ({ head: head.trim(), attributes: listed(attributes) })),
    edges: draft.edges.map(({ subject, relation, object }) => ({ subject, relation: relation.trim(), object })),
    referent: draft.referent,
  };
}

function drawDraft() {
  byId("things").replaceChildren();
  byId("relations").replaceChildren();
  draft.nodes.forEach(drawThing);
  draft.edges.forEach(drawDraftedRelation);
  byId("add-relation").disabled = draft.nodes.length < 2;
}

function drawThing(node, index) {
  const row = element(byId("things"), "tr"), cell = () => element(row, "td");
  const radio = element(cell(), "input", { type: "radio", name: "referent", "aria-label": `object ${index + 1} is the referent` });
  radio.checked = index === draft.referent;
  radio.onchange = () => { draft.referent = index; };
  cell().textContent = index + 1;
  field(cell(), node, "attributes", `attributes of object ${index + 1}, with commas between them`);
  field(cell(), node, "head", `object ${index + 1}`, () => drawNames());
  const remove = element(cell(), "button", { type: "button", title: `remove object ${index + 1} and its relations` }, "×");
  remove.disabled = draft.nodes.length === 1;
  remove.onclick = () => removeThing(index);
}

function drawDraftedRelation(edge, index) {
  const row = element(byId("relations"), "tr"), cell = () => element(row, "td");
  end(cell(), edge, "subject", index);
  field(cell(), edge, "relation", `relation ${index + 1}`);
  end(cell(), edge, "object", index);
  const actions = cell(), turn = element(actions, "button", { type: "button", title: `turn relation ${index + 1} round` }, "⇄");
  turn.onclick = () => { [edge.subject, edge.object] = [edge.object, edge.subject]; drawDraft(); };
  const remove = element(actions, "button", { type: "button", title: `remove relation ${index + 1}` }, "×");
  remove.onclick = () => { draft.edges.splice(index, 1); drawDraft(); };
}

function field(parent, holder, key, name, changed = () => {}) {
  const input = element(parent, "input", { "aria-label": name, maxlength: 200, autocomplete: "off" });
  input.value = holder[key];
  input.oninput = () => { holder[key] = input.value; changed(); };
}

function end(parent, edge, key, index) {
  const select = element(parent, "select", { "aria-label": `${key} of relation ${index + 1}` });
  for (const node of draft.nodes.keys()) element(select, "option", { value: node });
  select.value = edge[key];
  select.onchange = () => { edge[key] = Number(select.value); };
  drawNames(select);
}

// The objects' names where relations choose among them; the fields stay: one of them is being typed in.
function drawNames(within = byId("relations")) {
  for (const option of within.querySelectorAll("option")) option.textContent = `${Number(option.value) + 1} ${draft.nodes[option.value].head}`;
}

function removeThing(index) {
  const moved = (node) => node - (node > index);
  draft.nodes.splice(index, 1);
  draft.edges = draft.edges.filter(({ subject, object }) => subject !== index && object !== index)
    .map((edge) => ({ ...edge, subject: moved(edge.subject), object: moved(edge.object) }));
  draft.referent = draft.referent === index ? 0 : moved(draft.referent);
  drawDraft();
}

byId("add-thing").onclick = () => {
  draft.nodes.push({ head: "", attributes: "" });
  drawDraft();
  byId("things").lastElementChild.querySelector("input:not([type='radio'])").focus();
};
byId("add-relation").onclick = () => {
  draft.edges.push({ subject: draft.referent, relation: "", object: draft.nodes.length - 1 === draft.referent ? 0 : draft.nodes.length - 1 });
  drawDraft();
  byId("relations").lastElementChild.querySelector("input").focus();
};
