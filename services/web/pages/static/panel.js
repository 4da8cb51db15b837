/* A link marked data-panel opens beside the list, as the page that it leads to; with a modifier key it opens as links do. */
(function () {
  "use strict";
  var panel = null, opener = null;

  function close() {
    if (!panel) return;
    panel.remove();
    panel = null;
    document.body.classList.remove("with-panel");
    if (opener) opener.focus();
  }

  /* The scripts of the page that this one lacks, in their order: a list need not load what only a drawing needs. */
  function fetchScripts(page) {
    page.querySelectorAll("script[src]").forEach(function (one) {
      var address = one.getAttribute("src");
      if (document.querySelector('script[src="' + address + '"]')) return;
      var script = document.createElement("script");
      script.src = address;
      script.async = false;
      document.head.append(script);
    });
  }

  function open(link) {
    fetch(link.href, { credentials: "same-origin" }).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.text();
    }).then(function (html) {
      var page = new DOMParser().parseFromString(html, "text/html");
      var found = page.querySelector("main");
      if (!found) throw new Error("no content");
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
      button.addEventListener("click", close);
      bar.append(whole, button);
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
      panel.focus();
    }).catch(function () { location.assign(link.href); });
  }

  document.addEventListener("click", function (event) {
    var link = event.target.closest("a[data-panel]");
    if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (window.matchMedia("(max-width: 60rem)").matches) return;
    event.preventDefault();
    open(link);
  });
  document.addEventListener("keydown", function (event) { if (event.key === "Escape") close(); });
})();
