"use strict";
// The notes that findings cite, from the little Markdown that they are written in.

const noteId = (citation) => "note-" + citation.replaceAll(" ", "-");

function drawNotes() {
  const section = byId("notes");
  for (const citation of Object.keys(data.notes)) {
    const { title, text } = data.notes[citation];
    const note = make("details");
    note.id = noteId(citation);
    note.append(make("summary", `${citation}: ${title}`), ...blocks(text));
    section.append(note);
  }
  section.hidden = section.children.length < 2;
}

// The citation as a link to its note, or as text where there is none.
function noteLink(citation) {
  if (!(citation in data.notes)) return citation;
  const link = make("a", citation);
  link.href = "#";
  link.addEventListener("click", (event) => {
    event.preventDefault(); // what stands behind "#" are the filters
    event.stopPropagation();
    const note = byId(noteId(citation));
    note.open = true;
    note.scrollIntoView();
  });
  return link;
}

function blocks(text) {
  const made = [];
  const lines = text.split("\n");
  while (lines.length) {
    const line = lines.shift();
    if (line.startsWith("```")) {
      const end = lines.findIndex((each) => each.startsWith("```"));
      made.push(make("pre", lines.splice(0, end < 0 ? lines.length : end).join("\n")));
      lines.shift();
    } else if (line.startsWith("|")) {
      const rows = [line];
      while (lines.length && lines[0].startsWith("|")) rows.push(lines.shift());
      made.push(noteTable(rows));
    } else if (line.trim()) {
      const item = /^(\s*)(?:[*-]|\d+\.) /.exec(line);
      made.push(inline(make(/^#/.test(line) ? "h3" : "p", null, item ? "item" : ""), line.replace(/^#+ /, "").replace(/^(\s*)[*-] /, "$1• ")));
    }
  }
  return made;
}

function noteTable(rows) {
  const whole = make("table");
  rows.forEach((row, place) => {
    if (place === 1) return;
    const line = make("tr");
    for (const cell of row.replace(/^\||\|\s*$/g, "").split(/(?<!\\)\|/)) {
      line.append(inline(make(place ? "td" : "th"), cell.replaceAll("\\|", "|").trim()));
    }
    whole.append(line);
  });
  const box = make("div", null, "scroll");
  box.append(whole);
  return box;
}

function inline(element, text) {
  for (const part of text.split(/(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[a-z][a-z ]*\*|\[[^\]]+\]\([^)]+\))/)) {
    if (/^`.+`$/.test(part)) element.append(make("code", part.slice(1, -1)));
    else if (/^\*\*.+\*\*$/.test(part)) element.append(make("b", part.slice(2, -2)));
    else if (/^\*[a-z][a-z ]*\*$/.test(part)) element.append(make("em", part.slice(1, -1)));
    else element.append(part.replace(/^\[([^\]]+)\]\([^)]+\)$/, "$1"));
  }
  return element;
}
