/* Loads what draws graphs, in order, once the page has been painted: half a megabyte that words need not wait for. */
(function () {
  "use strict";
  var addresses = document.currentScript.dataset.then.split(" ");
  var begun = false;
  function load() {
    if (begun) return;
    begun = true;
    addresses.forEach(function (address) {
      var script = document.createElement("script");
      script.src = address;
      script.async = false;
      document.head.append(script);
    });
  }
  // The second frame begins when the first is painted; a page that nobody looks at has none.
  requestAnimationFrame(function () { requestAnimationFrame(load); });
  setTimeout(load, 500);
})();
