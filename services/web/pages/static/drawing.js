/* Loads what draws graphs, in order, once the page has been painted: half a megabyte that words need not wait for. */
(function () {
  "use strict";
  var addresses = document.currentScript.dataset.then.split(" ");
  function load() {
    addresses.forEach(function (address) {
      var script = document.createElement("script");
      script.src = address;
      script.async = false;
      document.head.append(script);
    });
  }
  // The second frame begins when the first is painted.
  requestAnimationFrame(function () { requestAnimationFrame(load); });
})();
