// Steps from pass to pass and checks the fields of an exercise. The page can be read without it.
(() => {
  "use strict";

  const all = (root, selector) => [...root.querySelectorAll(selector)];

  // ---------------------------------------------------------------------------------------------------------- passes

  const KEYS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -Infinity, End: Infinity };
  const BUTTONS = { first: -Infinity, back: -1, next: 1, last: Infinity };

  // Joins a panel to what it steps through; show(at) is called with the place of the pass, from 0.
  function stepThrough(panel, labels, show) {
    const range = panel.querySelector("input");
    const said = panel.querySelector("output");
    let at = 0;

    function go(to) {
      at = Math.min(Math.max(to, 0), labels.length - 1);
      range.value = String(at + 1);
      range.setAttribute("aria-valuetext", labels[at]);
      said.textContent = labels[at];
      for (const button of all(panel, "button[data-go]")) {
        const by = BUTTONS[button.dataset.go];
        // Not disabled: a button that goes out would take the focus with it.
        if (by !== undefined) button.setAttribute("aria-disabled", String(by < 0 ? at === 0 : at === labels.length - 1));
      }
      show(at);
    }

    panel.addEventListener("click", (event) => {
      const button = event.target.closest("button[data-go]");
      if (button && button.dataset.go in BUTTONS) go(at + BUTTONS[button.dataset.go]);
    });
    panel.addEventListener("keydown", (event) => {
      if (!(event.key in KEYS) || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      go(at + KEYS[event.key]);
    });
    range.addEventListener("input", () => go(Number(range.value) - 1));
    panel.hidden = false;
    go(0);
    return { again: () => go(at), to: go };
  }

  function startWalk(panel) {
    const section = panel.closest("section");
    const passes = all(panel, "template");
    const fillable = new Map(all(section, "[data-numbers]").map((place) => [place.dataset.numbers, place]));
    const tables = all(section, ".pw-walked");

    stepThrough(panel, passes.map((pass) => pass.dataset.label), (at) => {
      const pass = passes[at].content.cloneNode(true);
      for (const formula of all(pass, "[data-for]")) {
        fillable.get(formula.dataset.for)?.replaceChildren(...formula.childNodes);
      }
      const rows = all(pass, "tr");
      tables.forEach((table, place) => markRow(table, passes[at].dataset.entry, rows[place]));
    });
  }

  // Marks the row of a pass. A pass that the table skips lends its row for as long as it is looked at.
  function markRow(table, entry, lent) {
    for (const row of all(table, "tr[data-lent]")) row.remove();
    for (const row of all(table, "tr[aria-current]")) row.removeAttribute("aria-current");
    let row = table.querySelector(`tr[data-entry="${entry}"]`);
    if (!row && lent) {
      const gaps = all(table, "tr.pw-gap");
      const before = gaps.filter((gap) => Number(gap.previousElementSibling.dataset.entry) < Number(entry)).pop();
      if (!before) return;
      lent.dataset.lent = "";
      before.after(lent);
      row = lent;
    }
    if (!row) return;
    row.setAttribute("aria-current", "step");
    const frame = table.getBoundingClientRect();
    table.scrollTop += row.getBoundingClientRect().top - frame.top - frame.height / 2;
  }

  function startTurns(group) {
    const panel = group.querySelector(".pw-stepper");
    const sections = all(group, "section[data-turn]");
    const turns = [...new Set(sections.map((section) => section.dataset.turn))];
    const labels = turns.map((turn) => sections.find((section) => section.dataset.turn === turn).dataset.label);
    const every = panel.querySelector('[data-go="all"]');

    const steps = stepThrough(panel, labels, (at) => {
      every.setAttribute("aria-pressed", "false");
      for (const section of sections) section.hidden = section.dataset.turn !== turns[at];
    });
    every.addEventListener("click", () => {
      if (every.getAttribute("aria-pressed") === "true") return steps.again();
      every.setAttribute("aria-pressed", "true");
      for (const section of sections) section.hidden = false;
    });
    // A link to something in a pass that is out of sight brings that pass up.
    window.addEventListener("hashchange", () => {
      const aim = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      const section = aim && aim.closest("section[data-turn]");
      if (!section || !section.hidden || !group.contains(section)) return;
      steps.to(turns.indexOf(section.dataset.turn));
      aim.scrollIntoView();
    });
  }

  // ---------------------------------------------------------------------------------------------------------- tables

  // Entries can be walked through with the arrow keys; the line below tells how the one in focus came about.
  function startReading(line, place) {
    const table = line.previousElementSibling.querySelector("table");
    const cells = all(table, "td[title]");
    if (!cells.length) return;
    line.setAttribute("aria-live", "polite");
    line.textContent = "Choose a number to see how it came about.";
    line.hidden = place > 0; // said once, below the first table
    for (const cell of cells) cell.tabIndex = -1;
    cells[0].tabIndex = 0;
    table.addEventListener("focusin", (event) => {
      const cell = event.target.closest("td[title]");
      if (!cell) return;
      for (const other of all(table, 'td[tabindex="0"]')) other.tabIndex = -1;
      cell.tabIndex = 0;
      line.hidden = false;
      line.textContent = cell.title.replace("\n", "  ·  ");
    });
    table.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td[title]");
      const next = cell && neighbor(cell, event.key);
      if (!next) return;
      event.preventDefault();
      next.tabIndex = 0;
      next.focus();
    });
  }

  function neighbor(cell, key) {
    if (key === "ArrowLeft" || key === "ArrowRight") {
      let next = cell;
      do next = key === "ArrowLeft" ? next.previousElementSibling : next.nextElementSibling;
      while (next && !next.title);
      return next;
    }
    if (key !== "ArrowUp" && key !== "ArrowDown") return null;
    let row = cell.parentElement;
    do row = key === "ArrowUp" ? row.previousElementSibling : row.nextElementSibling;
    while (row && !(row.cells[cell.cellIndex] && row.cells[cell.cellIndex].title));
    return row && row.cells[cell.cellIndex];
  }

  // -------------------------------------------------------------------------------------------------------- exercises

  function answersOf(section) {
    const bytes = Uint8Array.from(atob(section.dataset.answers), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  }

  // 1,5  −2  1.234,5  8/10  3×10^-4: as people write numbers.
  function read(text) {
    const plain = text.replace(/[\s\u00a0\u2009\u202f']/g, "").replace(/[−–]/g, "-").replace(/[×*·]10\^?(?=[-+]?\d+$)/, "e");
    const parts = plain.split("/");
    if (parts.length > 2) return NaN;
    const numbers = parts.map((part) => {
      const decimal = Math.max(part.lastIndexOf(","), part.lastIndexOf("."));
      const several = part.includes(",") && part.includes(".");
      const found = several
        ? part.slice(0, decimal).replace(/[.,]/g, "") + "." + part.slice(decimal + 1)
        : part.replace(",", ".");
      return found === "" ? NaN : Number(found);
    });
    return numbers.length === 2 ? numbers[0] / numbers[1] : numbers[0];
  }

  function isRight(text, answer, answers) {
    if (typeof answer === "string") return text.trim().toLowerCase() === answer.toLowerCase();
    const off = Math.abs(read(text) - answer);
    return off <= Math.max(answers.near * Math.abs(answer), answers.rounding);
  }

  function say(field, answer, answers) {
    const said = document.getElementById(`${field.id}-said`);
    const text = field.value.trim();
    const right = text !== "" && isRight(text, answer, answers);
    if (text === "") field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", String(!right));
    const unread = typeof answer === "number" && Number.isNaN(read(text));
    said.textContent = text === "" ? "empty" : right ? "✓ right" : unread ? "✗ no number" : "✗ not yet";
    return right;
  }

  function check(section) {
    const answers = answersOf(section);
    const fields = Object.entries(answers.fields).map(([id, answer]) => [document.getElementById(id), answer]);
    const right = fields.filter(([field, answer]) => say(field, answer, answers)).length;
    section.querySelector(".pw-summary").textContent = `${right} of ${fields.length} right`;
    return [right, fields.length];
  }

  function startExercise(root) {
    for (const line of all(root, ".pw-needs-script")) line.hidden = true;
    for (const bar of all(root, ".pw-check")) bar.hidden = false;
    const sections = all(root, "section[data-answers]");
    for (const section of sections) {
      section.querySelector('[data-check="step"]').addEventListener("click", () => check(section));
      section.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && event.target.matches(".pw-field")) check(section);
      });
      const solution = section.querySelector(".pw-solution");
      solution.addEventListener("toggle", () => {
        const place = solution.querySelector(".pw-solved");
        solution.querySelector("summary").textContent = solution.open ? "Hide solution" : "Show solution";
        if (!place.hasChildNodes()) place.innerHTML = answersOf(section).solution;
      });
    }
    root.querySelector('[data-check="all"]').addEventListener("click", () => {
      const counts = sections.map(check);
      const sum = (place) => counts.reduce((total, found) => total + found[place], 0);
      root.querySelector(".pw-task .pw-summary").textContent = `${sum(0)} of ${sum(1)} right`;
    });
  }

  // A notebook runs this once for every working on its page: each takes those that are not yet alive.
  for (const root of all(document, ".pellucid-working:not([data-alive])")) {
    root.dataset.alive = "";
    all(root, '.pw-stepper[data-shows="walk"]').forEach(startWalk);
    all(root, ".pw-turns").forEach(startTurns);
    all(root, ".pw-reading").forEach(startReading);
    if (root.querySelector(".pw-task")) startExercise(root);
  }
})();
