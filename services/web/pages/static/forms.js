/* A folded section opens when a link leads into it. */
(function () {
  "use strict";
  function unfold() {
    var target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
    if (target) target.scrollIntoView();
  }
  window.addEventListener("hashchange", unfold);
  document.addEventListener("DOMContentLoaded", unfold);
})();

/* What is chosen in a row that is pushed sideways is in sight. */
(function () {
  "use strict";
  document.addEventListener("DOMContentLoaded", function () {
    document.querySelectorAll(".modes [aria-current], .sections [aria-current]").forEach(function (one) {
      var row = one.closest("ul, nav");
      row.scrollLeft += one.getBoundingClientRect().right - row.getBoundingClientRect().right;
    });
  });
})();

/* Filters act as soon as they are changed; the button is for where no script runs (page.css). */
(function () {
  "use strict";
  document.querySelectorAll("form[data-at-once]").forEach(function (form) {
    function send() {
      var values = new URLSearchParams();
      new FormData(form).forEach(function (value, name) { if (value !== "") values.append(name, value); });
      var to = form.action.split("?")[0] + (values.size ? "?" + values : "");
      if (to !== location.href) location.assign(to);
    }
    form.addEventListener("change", function (event) { if (event.target.type !== "search") send(); });
    form.addEventListener("submit", function (event) { event.preventDefault(); send(); });
    form.querySelectorAll('input[type="search"]').forEach(function (input) {
      var waiting = 0;
      input.addEventListener("input", function () {
        clearTimeout(waiting);
        waiting = setTimeout(send, 700);
      });
    });
  });
})();
