/* Light or dark: the system's choice until the switch is used; then that one, on every page.
   What only pages without a script need is hidden before anything is painted, so that nothing moves. */
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("scripted");
  var dark = window.matchMedia("(prefers-color-scheme: dark)");

  function kept() {
    try { return localStorage.getItem("hopgrade-theme"); } catch (_refused) { return null; }
  }

  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
  }

  if (kept() === "dark" || kept() === "light") root.dataset.theme = kept();

  document.addEventListener("DOMContentLoaded", function () {
    var button = document.querySelector("[data-theme-switch]");
    function tell() { button.textContent = isDark() ? "Light" : "Dark"; }
    button.hidden = false;
    tell();
    button.addEventListener("click", function () {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("hopgrade-theme", root.dataset.theme); } catch (_refused) { /* only this page then */ }
      tell();
      document.dispatchEvent(new Event("themechange"));
    });
    dark.addEventListener("change", function () {
      tell();
      document.dispatchEvent(new Event("themechange"));
    });
  });
})();
