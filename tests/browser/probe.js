// Runs at the end of a page under test; what it finds goes into an element that the test reads.
(function () {
  "use strict";
  var all = function (s, e) { return Array.prototype.slice.call((e || document).querySelectorAll(s)); };
  var press = function (key) { document.dispatchEvent(new KeyboardEvent("keydown", { key: key, bubbles: true, cancelable: true })); };
  // A page that does not have the window's focus has an active element, but no events about it.
  var told = function (e) { if (!document.hasFocus()) e.dispatchEvent(new FocusEvent("focus")); };
  var found = { requests: performance.getEntriesByType("resource").map(function (e) { return e.name; }) };
  found.drawings = all("svg").map(function (svg) {
    var boxes = all("g.block", svg).map(function (g) { return g.querySelector(".box").getBoundingClientRect(); });
    var overlaps = 0, sticking_out = 0, unlabelled = 0;
    boxes.forEach(function (a, i) {
      boxes.slice(i + 1).forEach(function (b) {
        if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) overlaps++;
      });
    });
    all("g.block", svg).forEach(function (g, i) {
      if (!g.getAttribute("aria-label")) unlabelled++;
      all("text", g).forEach(function (t) {
        var r = t.getBoundingClientRect();
        if (r.left < boxes[i].left || r.right > boxes[i].right || r.bottom > boxes[i].bottom || r.top < boxes[i].top) sticking_out++;
      });
    });
    return { blocks: boxes.length, edges: all("path[d]", svg).length, on: all("g.on", svg).length, changed: all("g.changed", svg).length,
      alone: all("g.alone", svg).length, overlaps: overlaps, sticking_out: sticking_out, unlabelled: unlabelled };
  });
  found.buttons = all("button[data-trace]").map(function (b) { return [b.hidden, b.getAttribute("aria-pressed")]; });
  press("j");
  found.after_j = document.activeElement.id;
  press("j");
  found.after_jj = document.activeElement.id;
  press("k");
  found.after_k = document.activeElement.id;
  press("n");
  var block = document.activeElement, partner = block.getAttribute("data-partner");
  told(block);
  found.after_n = block.getAttribute("class");
  found.partner = partner ? document.getElementById(partner).classList.contains("partner") : null;
  found.same_partner = (function () {
    var g = document.querySelector("svg g.same[data-partner]");
    g.focus();
    told(g);
    return document.getElementById(g.getAttribute("data-partner")).classList.contains("partner");
  })();
  var buttons = all("button[data-trace]");
  if (buttons.length > 1) {
    var before = all("section .on").length;
    buttons[buttons.length - 1].click();
    found.pressed = buttons.map(function (b) { return b.getAttribute("aria-pressed"); });
    found.switched = before > 0 && all("section .on").length > 0;
  }
  found.steps = all("table.steps").map(function (t) {
    return { rows: t.tBodies[0].rows.length, shown: t.offsetHeight > 0, text: t.textContent, caption: t.caption.textContent };
  });
  found.headings = all("h1, h2, h3").map(function (h) { return h.tagName; });
  found.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
  var out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(found);
  document.body.appendChild(out);
})();
