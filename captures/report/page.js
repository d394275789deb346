// The page reads the data beside it, draws every section, and draws again what a filter changes. The filters stand in
// the address after "#", so that a view can be passed on: #severity=error,warning&rule=C-201&flow=0/3&text=EARTH
const data = JSON.parse(document.getElementById("data").textContent);
const SEVERITIES = ["error", "warning", "security", "performance", "inferred", "info"];
const ROWS = 500; // rows of a table that are drawn; a filter narrows it down to what is looked for
const byId = (id) => document.getElementById(id);
const severityBoxes = {};

window.addEventListener("error", (event) => {
  byId("failure").hidden = false;
  byId("failure").textContent = "This page could not be drawn: " + event.message;
});

function make(tag, text, classes) {
  const element = document.createElement(tag);
  if (text !== undefined && text !== null) element.textContent = text;
  if (classes) element.className = classes;
  return element;
}

function draw(tag, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const clock = (time) => (time ? new Date(time * 1000).toISOString().replace("T", " ").replace("Z", "") : "");
const flowName = (capture, flow) => (data.captures.length > 1 ? `${capture}/${flow}` : String(flow));
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "";
  if (seconds < 0.001) return (seconds * 1e6).toFixed(0) + " µs";
  if (seconds < 1) return (seconds * 1000).toFixed(1) + " ms";
  return seconds.toFixed(2) + " s";
}

// Filters

function readFilters() {
  const given = new URLSearchParams(location.hash.slice(1));
  const wanted = (given.get("severity") ?? SEVERITIES.join(",")).split(",");
  for (const severity of SEVERITIES) severityBoxes[severity].checked = wanted.includes(severity);
  choose("rule", given.get("rule") || "");
  choose("flow", given.get("flow") || "");
  byId("text").value = given.get("text") || "";
}

// Chooses what is not among the options too: a flow that the table has no room for, a rule that found nothing.
function choose(id, value) {
  const box = byId(id);
  if (value && ![...box.options].some((option) => option.value === value)) box.append(new Option(value, value));
  box.value = value;
}

function filters() {
  return {
    severities: new Set(SEVERITIES.filter((severity) => severityBoxes[severity].checked)),
    rule: byId("rule").value,
    flow: byId("flow").value,
    text: byId("text").value.trim().toLowerCase(),
  };
}

function keepFilters() {
  const chosen = filters();
  const kept = new URLSearchParams();
  if (chosen.severities.size < SEVERITIES.length) kept.set("severity", [...chosen.severities].join(","));
  for (const name of ["rule", "flow", "text"]) if (chosen[name]) kept.set(name, chosen[name]);
  history.replaceState(null, "", "#" + kept.toString());
}

const holds = (words, text) => !text || words.some((word) => String(word ?? "").toLowerCase().includes(text));

// How many rows a filter leaves; it sees those on the page only.
const told = (rows, word, kept, all, unfiltered) => unfiltered ? plural(all, word)
  : plural(rows.length, word) + (all > kept ? `, among the ${kept.toLocaleString("en")} of ${all.toLocaleString("en")} on this page` : "");

// Tables

function table(section, columns, rows, total, picked) {
  const shown = rows.slice(0, ROWS);
  const box = make("div", null, "scroll");
  const body = make("tbody");
  const head = make("tr");
  for (const [name, , kind] of columns) head.append(make("th", name, kind));
  for (const row of shown) {
    const line = make("tr");
    for (const [, value, kind] of columns) {
      const cell = make("td", null, kind === "severity" ? "" : kind);
      const content = value(row);
      if (kind === "severity") cell.append(make("b", content, content));
      else cell.append(content ?? "");
      line.append(cell);
    }
    if (picked) picked(line, row);
    body.append(line);
  }
  const whole = make("table");
  const header = make("thead");
  header.append(head);
  whole.append(header, body);
  box.append(whole);
  const all = Math.max(total, rows.length);
  const note = shown.length < all ? `${shown.length.toLocaleString("en")} of ${all.toLocaleString("en")} shown` : "";
  section.append(box, make("p", note, "note"));
}

function cleared(id) {
  const section = byId(id);
  while (section.children.length > 1) section.lastChild.remove();
  return section;
}

function drawCaptures() {
  const section = cleared("captures");
  const numbered = data.captures.length > 1 ? [["Number", (row) => String(data.captures.indexOf(row)), "number"]] : [];
  table(section, [
    ...numbered,
    ["Capture", (row) => row.path, "wide"],
    ["Packets", (row) => (row.packets ?? 0).toLocaleString("en"), "number"],
    ["Bytes", (row) => (row.bytes ?? 0).toLocaleString("en"), "number"],
    ["Not read", (row) => (row.unread ?? 0).toLocaleString("en"), "number"],
    ["Error", (row) => row.error, "wide"],
  ], data.captures, 0);
}

const chosenFindings = (chosen) => data.findings.filter(([rule, severity, capture, flow, packet, , expected, seen]) =>
  chosen.severities.has(severity) && (!chosen.rule || rule === chosen.rule) &&
  (!chosen.flow || chosen.flow === `${capture}/${flow}`) &&
  holds([rule, data.rules[rule].title, expected, seen, packet], chosen.text));

function drawFindings(chosen) {
  const section = cleared("findings");
  const rows = chosenFindings(chosen);
  const away = (data.counts.findings ?? 0) - data.findings.length;
  section.append(make("p", plural(rows.length, "finding") + ", the worst first" +
    (away ? `; ${plural(away, "milder finding")} in the table of findings only` : ""), "note"));
  table(section, [
    ["Rule", (row) => row[0], "time"],
    ["Severity", (row) => row[1], "severity"],
    ["Flow", (row) => (row[3] ? flowName(row[2], row[3]) : ""), "number"],
    ["Packet", (row) => row[4] || "", "number"],
    ["Time (UTC)", (row) => clock(row[5]), "time"],
    ["What", (row) => data.rules[row[0]].title, "wide"],
    ["Expected", (row) => row[6], "wide"],
    ["Seen", (row) => row[7], "wide"],
    ["See", (row) => noteLink(data.rules[row[0]].spec), "time"],
  ], rows, 0, (line, row) => pick(line, `${row[2]}/${row[3]}`));
}

function drawFlows(chosen) {
  const section = cleared("flows");
  const rows = data.flows.filter((row) => (!chosen.flow || chosen.flow === `${row.capture}/${row.flow}`) &&
    holds([row.client, row.server, row.kind, row.channel, row.queue_manager, row.user, row.outcome], chosen.text));
  const unfiltered = !chosen.flow && !chosen.text;
  section.append(make("p", told(rows, "flow", data.flows.length, data.counts.flows ?? 0, unfiltered), "note"));
  table(section, [
    ["Flow", (row) => flowName(row.capture, row.flow), "number"],
    ["Client", (row) => row.client],
    ["Server", (row) => row.server],
    ["Kind", (row) => row.kind, "time"],
    ["Channel", (row) => row.channel],
    ["Queue manager", (row) => row.queue_manager],
    ["User", (row) => row.user],
    ["Start (UTC)", (row) => clock(row.start), "time"],
    ["Lasted", (row) => duration(row.end - row.start), "number"],
    ["Segments", (row) => row.segments, "number"],
    ["Messages", (row) => row.messages, "number"],
    ["Outcome", (row) => row.outcome],
    ["Findings", (row) => row.findings, "number"],
    ["Errors", (row) => row.errors, "number"],
  ], rows, unfiltered ? data.counts.flows ?? 0 : 0, (line, row) => {
    const key = `${row.capture}/${row.flow}`;
    pick(line, key);
    line.classList.toggle("picked", chosen.flow === key);
  });
}

function pick(line, flow) {
  if (!(flow in data.diagrams) && !(flow in data.cut)) return;
  line.classList.add("pick");
  line.addEventListener("click", () => {
    choose("flow", byId("flow").value === flow ? "" : flow);
    changed();
  });
}

// Sequence diagram

function worst(rules) {
  const found = rules.map((rule) => SEVERITIES.indexOf(data.rules[rule]?.severity ?? "info"));
  return found.length ? SEVERITIES[Math.min(...found)] : "";
}

function drawDiagram(chosen) {
  const section = cleared("diagram");
  const marked = data.flows.find((row) => row.errors && `${row.capture}/${row.flow}` in data.diagrams);
  const key = chosen.flow || (marked ? `${marked.capture}/${marked.flow}` : Object.keys(data.diagrams)[0]);
  const rows = key ? data.diagrams[key] : undefined;
  const flow = data.flows.find((row) => `${row.capture}/${row.flow}` === key);
  if (!rows || !flow) {
    section.append(make("p", key ? "No diagram of this flow is on the page; the table of segments has it." : "No segments.", "note"));
    return;
  }
  section.append(make("p", `Flow ${flowName(flow.capture, flow.flow)}: ${flow.kind} ${flow.channel}, click a flow or finding above for another`, "note"));
  const left = 250, right = 830, step = 22, top = 34, width = 1240;
  const box = make("div", null, "scroll");
  const svg = draw("svg", { width, height: top + step * (rows.length + 1), role: "img", "aria-label": "Sequence diagram" });
  svg.append(draw("text", { x: left, y: 16, "text-anchor": "middle" }, flow.client),
    draw("text", { x: right, y: 16, "text-anchor": "middle" }, flow.server));
  for (const x of [left, right]) svg.append(draw("line", { x1: x, x2: x, y1: 22, y2: top + step * (rows.length + 1), class: "life" }));
  rows.forEach(([responder, time, packet, name, label, length, rules, passed], index) => {
    const y = top + step * (index + 1) - 6;
    if (passed) svg.append(draw("text", { x: right + 14, y: y - step + 4, class: "soft" }, `… ${plural(passed, "segment")} left out here`));
    const [from, to] = responder ? [right, left] : [left, right];
    const head = responder ? 7 : -7;
    const kind = worst(rules);
    const group = draw("g", { class: "segment" });
    group.append(draw("title", {}, `packet ${packet}, ${clock(time)}, ${length} bytes${rules.length ? ", " + rules.join(" ") : ""}`),
      draw("line", { x1: from, y1: y, x2: to, y2: y, class: "arrow " + kind }),
      draw("line", { x1: to, y1: y, x2: to + head, y2: y - 4, class: "arrow " + kind }),
      draw("line", { x1: to, y1: y, x2: to + head, y2: y + 4, class: "arrow " + kind }),
      draw("text", { x: (left + right) / 2, y: y - 4, "text-anchor": "middle", class: kind }, label ? `${name}  ${label}` : name),
      draw("text", { x: 8, y: y + 4, class: "soft" }, `+${(time - flow.start).toFixed(6)} s  packet ${packet}`),
      draw("text", { x: right + 14, y: y + 4, class: kind || "soft" }, rules.map((rule) => `${rule} ${data.rules[rule]?.title ?? ""}`).join("; ")));
    svg.append(group);
  });
  box.append(svg);
  section.append(box);
  const fault = rows.findIndex((row) => ["error", "warning"].includes(worst(row[6])));
  box.scrollTop = Math.max(0, top + step * (fault - 8));
  if (data.cut[key]) section.append(make("p", `${plural(data.cut[key], "more segment")} in the table of segments`, "note"));
}

// Plots

function frame(section, width, height, margin) {
  const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  svg.append(draw("line", { x1: margin.left, x2: width - margin.right, y1: height - margin.bottom, y2: height - margin.bottom, class: "axis" }),
    draw("line", { x1: margin.left, x2: margin.left, y1: margin.top, y2: height - margin.bottom, class: "axis" }));
  section.append(svg);
  return svg;
}

const WIDTH = 1240, HEIGHT = 190, MARGIN = { left: 70, right: 12, top: 10, bottom: 26 };
const inner = { width: WIDTH - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };

function timeAxis(svg, start, end) {
  for (let part = 0; part <= 4; part++) {
    const time = start + ((end - start) * part) / 4;
    svg.append(draw("text", { x: MARGIN.left + (inner.width * part) / 4, y: HEIGHT - 8, "text-anchor": part === 4 ? "end" : part ? "middle" : "start", class: "soft" },
      clock(time).slice(part ? 11 : 0, 23)));
  }
}

function drawTimeline(chosen) {
  const section = cleared("timeline");
  const { start, step, counts } = data.times;
  if (!counts.length) return section.append(make("p", "No segments.", "note"));
  section.append(make("p", `Segments each ${step === 1 ? "second" : step < 1 ? duration(step) : step.toLocaleString("en") + " seconds"}; ticks below are findings`, "note"));
  const svg = frame(section, WIDTH, HEIGHT, MARGIN);
  const most = Math.max(...counts), width = inner.width / counts.length, end = start + counts.length * step;
  counts.forEach((count, index) => {
    const height = (inner.height * count) / most;
    const bar = draw("rect", { x: MARGIN.left + index * width, y: HEIGHT - MARGIN.bottom - height, width: Math.max(width - 0.5, 0.5), height, class: "bar" });
    bar.append(draw("title", {}, `${clock(start + index * step)}: ${plural(count, "segment")}`));
    svg.append(bar);
  });
  svg.append(draw("text", { x: MARGIN.left - 6, y: MARGIN.top + 8, "text-anchor": "end", class: "soft" }, most.toLocaleString("en")));
  for (const [, severity, , , , time] of chosenFindings(chosen).reverse()) {
    if (!time) continue;
    const x = MARGIN.left + (inner.width * (time - start)) / (end - start);
    svg.append(draw("line", { x1: x, x2: x, y1: HEIGHT - MARGIN.bottom, y2: HEIGHT - MARGIN.bottom + 7, class: "tick", style: `stroke: var(--${severity})` }));
  }
  timeAxis(svg, start, end);
}

function scatter(section, points, time, value, say, bad, logarithmic) {
  const svg = frame(section, WIDTH, HEIGHT, MARGIN);
  const times = points.map(time), values = points.map(value);
  const start = times.reduce((a, b) => Math.min(a, b)), end = Math.max(times.reduce((a, b) => Math.max(a, b)), start + 1e-3);
  const scale = logarithmic ? (v) => Math.log10(Math.max(v, 1e-6)) : (v) => v;
  const low = logarithmic ? scale(values.reduce((a, b) => Math.min(a, b))) : 0;
  const high = Math.max(scale(values.reduce((a, b) => Math.max(a, b))), low + 1e-9);
  points.forEach((point, index) => {
    const dot = draw("circle", { cx: MARGIN.left + (inner.width * (times[index] - start)) / (end - start),
      cy: HEIGHT - MARGIN.bottom - (inner.height * (scale(values[index]) - low)) / (high - low), r: 2.2, class: bad(point) ? "dot bad" : "dot" });
    if (points.length <= 4000) dot.append(draw("title", {}, say(point)));
    svg.append(dot);
  });
  for (const part of [0, 0.5, 1]) {
    const at = low + (high - low) * part;
    const text = logarithmic ? duration(10 ** at) : Math.round(at).toLocaleString("en");
    svg.append(draw("text", { x: MARGIN.left - 6, y: HEIGHT - MARGIN.bottom - inner.height * part + 4, "text-anchor": "end", class: "soft" }, text));
  }
  timeAxis(svg, start, end);
}

function percentile(sorted, part) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

function drawLatency(chosen) {
  const section = cleared("latency");
  const inFlow = ([, , , , capture, flow]) => !chosen.flow || chosen.flow === `${capture}/${flow}`;
  const points = data.calls.points.filter((point) => inFlow(point));
  if (!points.length) return section.append(make("p", "No calls of clients.", "note"));
  scatter(section, points, (p) => p[0], (p) => p[1], (p) => `${p[2]} ${duration(p[1])}${p[3] ? ", reason " + p[3] : ""}`, (p) => p[3] !== 0, true);
  const sample = data.calls.of > data.calls.points.length;
  section.append(make("p", "red: with a reason code" + (sample ? `; a sample of ${plural(data.calls.of, "call")}` : ""), "note"));
  const names = new Map();
  for (const [, latency, name] of points) {
    if (!names.has(name)) names.set(name, []);
    names.get(name).push(latency);
  }
  const rows = [...names].map(([name, values]) => {
    values.sort((a, b) => a - b);
    const [count, longest] = chosen.flow ? [values.length, values[values.length - 1]] : data.calls.names[name];
    return [name, values, count, longest];
  });
  table(section, [
    ["Call", (row) => row[0]],
    ["Count", (row) => row[2].toLocaleString("en"), "number"],
    ["Median", (row) => duration(percentile(row[1], 0.5)), "number"],
    ["95 %", (row) => duration(percentile(row[1], 0.95)), "number"],
    ["99 %", (row) => duration(percentile(row[1], 0.99)), "number"],
    ["Longest", (row) => duration(row[3]), "number"],
  ], rows.sort((a, b) => b[2] - a[2]), 0);
  section.append(make("h3", "Slowest calls"));
  const slow = data.slow.filter((row) => (!chosen.flow || chosen.flow === `${row.capture}/${row.flow}`) && holds([row.name, row.object_name, row.reason_name], chosen.text));
  table(section, [
    ["Call", (row) => row.name],
    ["Object", (row) => row.object_name],
    ["Took", (row) => duration(row.latency), "number"],
    ["Flow", (row) => flowName(row.capture, row.flow), "number"],
    ["Packet", (row) => row.packet, "number"],
    ["Time (UTC)", (row) => clock(row.time), "time"],
    ["Reason", (row) => (row.reason ? `${row.reason_name} (${row.reason})` : "")],
  ], slow, 0, (line, row) => pick(line, `${row.capture}/${row.flow}`));
}

function drawBatches(chosen) {
  const section = cleared("batches");
  const points = data.batches.points.filter(([, , , , capture, flow]) => !chosen.flow || chosen.flow === `${capture}/${flow}`);
  if (!points.length) return section.append(make("p", "No batches of message channels.", "note"));
  const all = chosen.flow ? points.length : data.batches.of;
  section.append(make("p", `Messages in each of ${plural(all, "batch").replace("batchs", "batches")}; red: not confirmed`, "note"));
  scatter(section, points, (p) => p[0], (p) => p[1], (p) => `${p[1]} messages, ${p[2].toLocaleString("en")} bytes, confirmed after ${duration(p[3]) || "nothing"}`, (p) => p[3] === null, false);
}

function drawMessages(chosen) {
  const section = cleared("messages");
  const rows = data.messages.filter((row) => (!chosen.flow || chosen.flow === `${row.capture}/${row.flow}`) &&
    holds([row.queue, row.queue_manager, row.channel, row.format, row.msg_id, row.correl_id, row.user_identifier, row.put_appl_name, row.fate], chosen.text));
  const unfiltered = !chosen.flow && !chosen.text;
  section.append(make("p", told(rows, "message", data.messages.length, data.counts.messages ?? 0, unfiltered), "note"));
  table(section, [
    ["Flow", (row) => flowName(row.capture, row.flow), "number"],
    ["Packet", (row) => row.packet, "number"],
    ["Time (UTC)", (row) => clock(row.time), "time"],
    ["Course", (row) => row.course],
    ["Queue", (row) => row.queue + (row.queue_manager ? ` at ${row.queue_manager}` : "")],
    ["Number", (row) => row.sequence_number || "", "number"],
    ["Batch", (row) => row.batch || "", "number"],
    ["Length", (row) => row.length.toLocaleString("en"), "number"],
    ["Format", (row) => row.format],
    ["Fate", (row) => row.fate],
    ["After", (row) => duration(row.latency), "number"],
    ["Message id", (row) => row.msg_id, "wide"],
  ], rows, unfiltered ? data.counts.messages ?? 0 : 0, (line, row) => pick(line, `${row.capture}/${row.flow}`));
}

// All of it

function changed() {
  keepFilters();
  drawAll();
}

function drawAll() {
  const chosen = filters();
  drawTimeline(chosen);
  drawFindings(chosen);
  drawFlows(chosen);
  drawDiagram(chosen);
  drawLatency(chosen);
  drawBatches(chosen);
  drawMessages(chosen);
}

function begin() {
  const errors = data.severities.error ?? 0;
  const verdict = byId("verdict");
  verdict.textContent = errors ? `Does not conform: ${plural(errors, "error")}`
    : data.counts.segments ? `Conforms${data.incomplete ? ", as far as it is in the capture" : ""}: no errors` : "Nothing to judge: no MQ that could be read";
  verdict.className = errors ? "error" : "";
  const parts = [["flows", "flow"], ["segments", "segment"], ["messages", "message"], ["calls", "call"], ["findings", "finding"]];
  verdict.append(" · " + parts.map(([name, word]) => plural(data.counts[name] ?? 0, word)).join(", "));
  for (const severity of SEVERITIES) {
    const label = make("label");
    const box = severityBoxes[severity] = make("input");
    box.type = "checkbox";
    label.append(box, " ", make("b", severity, severity), ` ${(data.severities[severity] ?? 0).toLocaleString("en")}`);
    byId("severities").append(label);
  }
  for (const rule of Object.keys(data.rules).sort()) byId("rule").append(new Option(`${rule} ${data.rules[rule].title}`, rule));
  for (const row of data.flows) {
    const key = `${row.capture}/${row.flow}`;
    byId("flow").append(new Option(`${flowName(row.capture, row.flow)} ${row.channel || row.kind} ${row.client}`, key));
  }
  for (const section of document.querySelectorAll("section")) {
    const link = make("a", section.firstElementChild.textContent);
    link.href = "#";
    link.addEventListener("click", (event) => { event.preventDefault(); section.scrollIntoView(); });
    document.querySelector("nav").append(link);
  }
  readFilters();
  drawCaptures();
  drawNotes();
  drawAll();
  const form = byId("filters");
  let waiting;
  form.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(changed, 150); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => {
    for (const severity of SEVERITIES) severityBoxes[severity].checked = true;
    changed();
  }));
  window.addEventListener("hashchange", () => { readFilters(); drawAll(); });
  document.body.dataset.drawn = "yes";
}

begin();
