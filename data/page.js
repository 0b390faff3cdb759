(function () {
  "use strict";
  var all = function (s, e) { return Array.prototype.slice.call((e || document).querySelectorAll(s)); };
  var show = function (section, n) {
    all("[data-traces]", section).forEach(function (e) {
      e.classList.toggle("on", e.getAttribute("data-traces").split(" ").indexOf(String(n)) >= 0);
    });
    all("button[data-trace]", section).forEach(function (b) {
      b.setAttribute("aria-pressed", String(b.getAttribute("data-trace") === String(n)));
    });
  };
  all("button[data-trace]").forEach(function (b) {
    b.hidden = false;
    b.addEventListener("click", function () { show(b.closest("section"), b.getAttribute("data-trace")); });
  });
  all("g.block").forEach(function (g) {
    var partner = g.getAttribute("data-partner") && document.getElementById(g.getAttribute("data-partner"));
    var mark = function (on) {
      if (partner) {
        partner.classList.toggle("partner", on);
        if (on) partner.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    };
    g.addEventListener("focus", function () { mark(true); });
    g.addEventListener("blur", function () { mark(false); });
  });
  var step = function (selector, by) {
    var list = all(selector), at = -1, here = document.activeElement;
    list.forEach(function (e, i) {
      if (e === here || (here && here !== document.body && here.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_PRECEDING)) at = i;
    });
    if (by < 0 && list[at] !== here) at += 1;
    var to = list[Math.max(0, Math.min(list.length - 1, at + by))];
    if (to) { to.focus(); to.scrollIntoView({ block: "center" }); }
  };
  document.addEventListener("keydown", function (e) {
    if (e.ctrlKey || e.altKey || e.metaKey) return;
    if (e.key === "j") step("h2[tabindex]", 1);
    else if (e.key === "k") step("h2[tabindex]", -1);
    else if (e.key === "n") step("g.block.changed, g.block.alone", 1);
    else if (e.key === "p") step("g.block.changed, g.block.alone", -1);
    else return;
    e.preventDefault();
  });
})();
