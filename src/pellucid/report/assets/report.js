// Sorts tables, filters findings, tells what the pointer rests on, copies, opens and closes. The page is whole without it.
(() => {
  "use strict";

  const all = (root, selector) => [...root.querySelectorAll(selector)];

  // ---------------------------------------------------------------------------------------------------------- tables

  // What a row is sorted by: the value of its cell if it has one, else its text; nothing comes last in any order.
  function keyOf(row, place) {
    const cell = row.cells[place];
    const held = cell.dataset.value;
    const text = held === undefined ? cell.textContent.trim() : held;
    return text === "" ? null : held !== undefined && !Number.isNaN(Number(held)) ? Number(held) : text;
  }

  const inOrder = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function compare(a, b, up) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return up ? a - b : b - a;
    return (up ? 1 : -1) * inOrder.compare(String(a), String(b));
  }

  function sortBy(table, heads, place) {
    const head = heads[place];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of heads) if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(row, place), row]);
    rows.sort(([a], [b]) => compare(a, b, up));
    body.append(...rows.map(([, row]) => row));
  }

  function startSorting(table) {
    const heads = [...table.tHead.rows[0].cells];
    if (table.tBodies[0].rows.length < 2) return;
    heads.forEach((head, place) => {
      if (head.dataset.sort === "no") return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => sortBy(table, heads, place));
    });
  }

  // -------------------------------------------------------------------------------------------------------- findings

  function startFilter(bar) {
    const rows = [...document.querySelector(`#${bar.dataset.for} table`).tBodies[0].rows];
    const words = bar.querySelector('[data-filter="words"]');
    const severity = bar.querySelector('[data-filter="severity"]');
    const said = bar.querySelector("output");
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const show = () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      let seen = 0;
      rows.forEach((row, place) => {
        const kind = severity.value === "" || row.querySelector(`.pr-badge.pr-${severity.value}`) !== null;
        row.hidden = !(kind && wanted.every((word) => texts[place].includes(word)));
        seen += !row.hidden;
      });
      said.textContent = seen === rows.length ? "" : `${seen} of ${rows.length} shown`;
    };
    words.addEventListener("input", show);
    severity.addEventListener("input", show);
    bar.hidden = false;
  }

  // ---------------------------------------------------------------------------------------------------------- charts

  const KEYS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -Infinity, End: Infinity };

  // A chart is one stop of the tabulator key; arrows go from mark to mark, and the line below tells what each is.
  function startChart(figure, place) {
    const line = figure.querySelector(".pc-reading");
    const marks = all(figure, "svg .pc-mark");
    if (!line || !marks.length) return;
    const title = (mark) => mark.querySelector("title").textContent;
    const svg = marks[0].ownerSVGElement;
    svg.setAttribute("role", "group");
    marks.forEach((mark, at) => {
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", title(mark));
      mark.setAttribute("tabindex", at === 0 ? "0" : "-1");
    });
    if (place === 0) line.textContent = "Point at a chart, or step through it with the arrow keys, to read its numbers here.";
    line.hidden = false;
    const tell = (event) => {
      const mark = event.target.closest(".pc-mark");
      if (mark) line.textContent = title(mark);
      return mark;
    };
    svg.addEventListener("pointerover", tell);
    svg.addEventListener("pointerdown", tell);
    svg.addEventListener("focusin", (event) => {
      const mark = tell(event);
      if (!mark) return;
      for (const other of marks) other.setAttribute("tabindex", other === mark ? "0" : "-1");
    });
    svg.addEventListener("keydown", (event) => {
      const at = marks.indexOf(event.target.closest(".pc-mark"));
      if (at < 0 || !(event.key in KEYS) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      marks[Math.min(Math.max(at + KEYS[event.key], 0), marks.length - 1)].focus();
    });
  }

  // ------------------------------------------------------------------------------------------------------ copy, open

  function startCopy(button) {
    const source = document.getElementById(button.dataset.copy);
    const said = button.parentElement.querySelector("output");
    button.hidden = false;
    button.addEventListener("click", () => {
      const copied = navigator.clipboard ? navigator.clipboard.writeText(source.textContent) : Promise.reject();
      copied.then(() => "Copied.", () => select(source)).then((text) => { said.textContent = text; });
    });
  }

  // Where a browser lets no page from a file copy, the text is selected, for the reader to copy.
  function select(source) {
    getSelection().selectAllChildren(source);
    return document.execCommand("copy") ? "Copied." : "Selected: copy it with Ctrl+C.";
  }

  function startTools(bar) {
    const details = all(document, "main details");
    if (!details.length) return;
    bar.hidden = false;
    for (const button of all(bar, "[data-all]")) {
      button.addEventListener("click", () => {
        for (const part of details) part.open = button.dataset.all === "open";
      });
    }
  }

  // A link into something that is closed opens it.
  function openTarget() {
    const aim = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let part = aim && aim.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  }

  // Browsers that print only what is open.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all(document, "main details:not([open])");
    for (const part of closed) part.open = true;
  });
  addEventListener("afterprint", () => {
    for (const part of closed) part.open = false;
    closed = [];
  });

  all(document, "table[data-sort]").forEach(startSorting);
  all(document, ".pr-filter").forEach(startFilter);
  all(document, "figure.pr-chart").forEach(startChart);
  all(document, ".pr-copy").forEach(startCopy);
  all(document, ".pr-tools").forEach(startTools);
  addEventListener("hashchange", openTarget);
  openTarget();
})();
