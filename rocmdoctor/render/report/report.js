"use strict";
// Everything works without this script; it adds copying, remembering ticks while the page is open, and the search.
for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    const said = document.getElementById("said");
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "away";
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
      button.focus();
    }
    said.textContent = "";
    said.textContent = button.dataset.done;
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = button.dataset.label; }, 1500);
  });
}
const search = document.getElementById("search");
if (search) {
  search.closest("p").hidden = false;
  const rows = [...document.querySelectorAll("#facts tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, at) => {
      row.hidden = !words.every((word) => texts[at].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    document.getElementById("found").textContent = `${shown} of ${rows.length} facts`;
  });
}
for (const state of ["beforeprint", "afterprint"]) {
  addEventListener(state, () => {
    for (const folded of document.querySelectorAll("details:not(.long)")) {
      if (state === "beforeprint") { folded.dataset.was = folded.open; folded.open = true; } else { folded.open = folded.dataset.was === "true"; }
    }
  });
}
