/* Names of entities to choose from while one is typed. */
(function () {
  "use strict";
  var list = document.getElementById("suggested");
  var waiting = 0;

  function suggest(input) {
    fetch(input.dataset.suggest + "?text=" + encodeURIComponent(input.value.slice(0, 100)))
      .then(function (answer) { return answer.ok ? answer.json() : []; })
      .then(function (names) {
        list.replaceChildren.apply(list, names.map(function (name) {
          var option = document.createElement("option");
          option.value = name;
          return option;
        }));
      })
      .catch(function () { list.replaceChildren(); });
  }

  document.querySelectorAll("[data-suggest]").forEach(function (input) {
    input.addEventListener("input", function () {
      clearTimeout(waiting);
      if (input.value.trim().length > 1) waiting = setTimeout(suggest, 150, input);
    });
  });
})();
