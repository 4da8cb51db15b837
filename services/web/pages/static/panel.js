/* A link marked data-panel opens beside the list, as the page that it leads to; with a modifier key it opens as links do.
   The address names what is open, so it can be sent, and Back closes the panel. */
(function () {
  "use strict";
  var panel = null, opener = null, turn = 0;

  function chosenHere() { return new URLSearchParams(location.search).get("question") || ""; }
  function addressWith(id) {
    var values = new URLSearchParams(location.search);
    if (id) values.set("question", id); else values.delete("question");
    return location.pathname + (values.size ? "?" + values : "");
  }
  function listed() {
    return Array.from(document.querySelectorAll("a[data-panel]")).filter(function (one) { return !panel || !panel.contains(one); });
  }
  function narrow() { return window.matchMedia("(max-width: 60rem)").matches; }

  /* By its button or a key: one step back where opening it was one, else as if it had never been open. */
  function dismiss() {
    turn++;
    if (!panel) return;
    if (history.state && history.state.panel) return history.back();
    history.replaceState(null, "", addressWith(""));
    close();
  }
  function close() {
    if (!panel) return;
    panel.remove();
    panel = null;
    document.body.classList.remove("with-panel");
    mark(false);
    if (opener) opener.focus();
  }

  /* Its row in the list is told apart while the panel shows it. */
  function mark(chosen) {
    var row = opener && opener.closest("tr");
    if (row) row.classList.toggle("chosen", chosen);
  }

  /* The link before or after the one that is open. */
  function beside(step) {
    var links = listed();
    return links[links.indexOf(opener) + step];
  }
  function stepButton(text, step) {
    var made = document.createElement("button"), to = beside(step);
    made.type = "button";
    made.textContent = text;
    made.disabled = !to;
    made.dataset.step = String(step);
    if (to) made.addEventListener("click", function () { open(to, step); });
    return made;
  }

  /* The scripts of the page that this one lacks, in their order: a list need not load what only a drawing needs. */
  function fetchScripts(page) {
    page.querySelectorAll("script[src]").forEach(function (one) {
      var address = one.getAttribute("src");
      if (document.querySelector('script[src="' + address + '"]')) return;
      var script = document.createElement("script");
      Object.assign(script.dataset, one.dataset);
      script.src = address;
      script.async = false;
      document.head.append(script);
    });
  }

  function open(link, step) {
    var now = ++turn;
    fetch(link.href, { credentials: "same-origin" }).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    }).then(function (html) {
      var page = new DOMParser().parseFromString(html, "text/html");
      var found = page.querySelector("main");
      if (!found) throw new Error("no content");
      if (now !== turn) return;
      // What is opened in the place of another takes its place in the history too.
      if (link.dataset.panel !== chosenHere()) history[panel ? "replaceState" : "pushState"](panel ? history.state : { panel: true }, "", addressWith(link.dataset.panel));
      close();
      opener = link;
      panel = document.createElement("aside");
      panel.className = "panel";
      panel.setAttribute("aria-label", "The chosen question");
      panel.tabIndex = -1;
      var bar = document.createElement("p");
      bar.className = "panel-bar";
      var whole = document.createElement("a");
      whole.href = link.href;
      whole.textContent = "Open as a page";
      var button = document.createElement("button");
      button.type = "button";
      button.textContent = "Close";
      button.addEventListener("click", dismiss);
      bar.append(whole, stepButton("Previous", -1), stepButton("Next", 1), button);
      panel.append(bar);
      found.querySelectorAll("h1").forEach(function (heading) {
        var smaller = document.createElement("h2");
        smaller.className = heading.className;
        smaller.append.apply(smaller, Array.from(heading.childNodes));
        heading.replaceWith(smaller);
      });
      found.querySelectorAll("[id]").forEach(function (one) { one.id = "panel-" + one.id; });
      found.querySelectorAll("a[href^='#']").forEach(function (one) { one.setAttribute("href", "#panel-" + one.getAttribute("href").slice(1)); });
      found.querySelectorAll("[aria-labelledby]").forEach(function (one) {
        one.setAttribute("aria-labelledby", one.getAttribute("aria-labelledby").split(" ").map(function (id) { return "panel-" + id; }).join(" "));
      });
      panel.append.apply(panel, Array.from(found.childNodes));
      document.body.append(panel);
      document.body.classList.add("with-panel");
      fetchScripts(page);
      document.dispatchEvent(new Event("panelopen"));
      mark(true);
      opener.scrollIntoView({ block: "nearest" });
      // Whoever steps through the list goes on stepping with the same key.
      var again = step && bar.querySelector('[data-step="' + step + '"]');
      (again && !again.disabled ? again : panel).focus();
    }).catch(function () { if (now === turn) location.assign(link.href); });
  }
  /* Shows what the address names. */
  function follow() {
    var id = chosenHere();
    turn++;
    if (!id) return close();
    var link = listed().filter(function (one) { return one.dataset.panel === id; })[0];
    if (!link || (panel && link === opener)) return;
    if (narrow()) location.replace(link.href); else open(link);
  }
  window.addEventListener("popstate", follow);
  document.addEventListener("DOMContentLoaded", follow);

  document.addEventListener("click", function (event) {
    var part = event.target.closest("aside.panel a[href^='#']"), target = part && document.getElementById(part.getAttribute("href").slice(1));
    if (target) {
      // Within the panel: no step of the history, or closing would not lead back to the list.
      event.preventDefault();
      target.scrollIntoView();
      return;
    }
    var link = event.target.closest("a[data-panel]");
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (narrow()) return;
    event.preventDefault();
    open(link);
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") dismiss(); });
})();
