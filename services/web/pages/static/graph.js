/* Draws the graphs of the page with Cytoscape.js. Whatever an article or a model wrote is set as text. */
(function () {
  "use strict";
  var ACROSS = 190, DOWN = 92;

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  }

  /* How far the words of an edge move away from the entity in the middle, whose name lies over the beginning of its edges. */
  function outward(edge, axis) {
    var middle = edge.connectedNodes().filter(function (node) { return node.data("opened") || node.data("role") === "start"; });
    if (middle.length !== 1) return 0;
    var from = middle.position(), to = edge.connectedNodes().difference(middle).position();
    // A level edge has no name at its beginning, and one at its end.
    return to ? 0.13 * (to[axis] - from[axis]) * Math.abs(to.y - from.y) / Math.hypot(to.x - from.x, to.y - from.y) : 0;
  }

  function style(holder) {
    var narrow = holder.clientWidth < 640;
    var crowded = holder.dataset.kind !== "layers";
    return [
      { selector: "node", style: {
        "label": function (node) { return [node.data("label"), node.data("rate"), node.data("more")].filter(Boolean).join("\n"); }, "color": colour("ink"), "font-size": crowded ? (narrow ? 21 : 16) : 13, "font-family": "Inter, system-ui, sans-serif",
        "background-color": colour("panel"), "border-color": colour("axis"), "border-width": 1.5,
        "width": 22, "height": 22, "text-valign": "bottom", "text-margin-y": 5, "text-wrap": "wrap",
        "text-max-width": crowded ? (narrow ? 122 : 150) : 120, "text-background-color": colour("paper"), "text-background-opacity": 0.85,
        "text-background-padding": 2, "text-background-shape": "roundrectangle" } },
      { selector: "node[?above]", style: { "text-valign": "top", "text-margin-y": -5 } },
      // One below the other, a name beside its node leaves the edge between two of them to be read.
      { selector: "node[?beside]", style: { "text-valign": "center", "text-halign": "right", "text-margin-x": 6, "text-margin-y": 0 } },
      { selector: "node[role = 'start']", style: { "border-color": colour("series-0"), "border-width": 4, "width": 28, "height": 28, "font-weight": 600 } },
      { selector: "node[role = 'end']", style: { "border-color": colour("series-1"), "border-width": 4, "width": 28, "height": 28, "font-weight": 600, "shape": "round-rectangle" } },
      { selector: "node[heat >= 0]", style: { "background-color": function (node) { return colour("heat-" + node.data("heat")); } } },
      { selector: "edge", style: {
        "label": "data(label)", "color": colour("quiet"), "font-size": crowded ? (narrow ? 17 : 13) : 11,
        "text-margin-x": function (edge) { return crowded ? outward(edge, "x") : 0; }, "text-margin-y": function (edge) { return crowded ? outward(edge, "y") : 0; },
        "control-point-step-size": narrow ? 70 : 46, "font-family": "Inter, system-ui, sans-serif",
        "width": 2, "line-color": colour("axis"), "target-arrow-color": colour("axis"), "target-arrow-shape": "triangle",
        "curve-style": "bezier", "text-events": "yes", "text-rotation": crowded ? "autorotate" : "none", "text-wrap": "wrap", "text-max-width": narrow || crowded ? 120 : 100, "text-background-color": colour("paper"),
        "text-background-opacity": 0.9, "text-background-padding": 2 } },
      { selector: "edge[kind = 'mirrored']", style: { "line-style": "dashed", "line-color": colour("series-3"), "target-arrow-color": colour("series-3") } },
      { selector: ":selected", style: { "overlay-color": colour("link"), "overlay-opacity": 0.2, "overlay-padding": 6 } }
    ];
  }

  function around(graph, holder) {
    var outer = graph.nodes.filter(function (node) { return node.role !== "start"; });
    var wide = holder.clientWidth >= 640;
    var reach = Math.max(195, outer.length * 17);
    return graph.nodes.map(function (node) {
      if (node.role === "start") return { data: node, position: { x: 0, y: 0 } };
      var index = outer.indexOf(node), angle = 2 * Math.PI * index / outer.length - Math.PI / 2;
      // Every other one stands farther out where there are many, so that labels beside each other are read.
      var far = outer.length > 10 && index % 2 ? 1.22 : 1;
      // A name that looks away from the middle leaves its edge to be read.
      node.above = Math.sin(angle) < -0.2;
      return { data: node, position: { x: Math.cos(angle) * reach * far * (wide ? 1.75 : 1), y: Math.sin(angle) * reach * far * (wide ? 1.05 : 1.4) } };
    });
  }

  function elements(graph, holder) {
    var edges = graph.edges.map(function (edge) { return { data: edge }; });
    return (holder.dataset.kind === "around" ? around(graph, holder) : layered(graph, holder)).concat(edges);
  }

  function layered(graph, holder) {
    var narrow = holder.clientWidth < 640;
    var layers = {};
    graph.nodes.forEach(function (node) { (layers[node.layer] = layers[node.layer] || []).push(node); });
    var depth = Object.keys(layers).length;
    if (narrow && depth > 4) holder.style.height = depth * 88 + "px";
    var across = narrow ? DOWN + 18 : Math.max(ACROSS, Math.min(250, holder.clientWidth / depth));
    return graph.nodes.map(function (node) {
      var same = layers[node.layer];
      var along = node.layer * across;
      var aside = (same.indexOf(node) - (same.length - 1) / 2) * (narrow ? 170 : DOWN);
      // One beside the other, labels of a straight line would run into each other.
      if (!narrow && same.length === 1 && depth > 2) {
        node.above = node.layer % 2 === 0;
        aside += (node.above ? -1 : 1) * 30;
      }
      node.beside = narrow;
      return { data: node, position: narrow ? { x: aside, y: along } : { x: along, y: aside } };
    });
  }

  function line(tag, text, address) {
    var element = document.createElement(tag);
    var inside = element;
    if (address) {
      inside = document.createElement("a");
      inside.href = address;
      element.append(inside);
    }
    inside.textContent = text;
    return element;
  }

  function tell(told, data) {
    var lines = [];
    if (data.source) {
      lines.push(line("strong", data.fact));
      if (data.kind === "mirrored") lines.push(line("small", "an edge that context added"));
      if (data.claim) lines.push(line("q", data.claim));
      if (data.title || data.address) lines.push(line("span", data.title || "the article", data.address));
    } else {
      lines.push(line("strong", data.label, data.address));
      if (data.type) lines.push(line("small", data.type));
    }
    told.replaceChildren.apply(told, lines);
  }

  function tools(figure, drawing, whole) {
    var bar = figure.querySelector("[data-graph-tools]");
    bar.hidden = false;
    bar.addEventListener("click", function (event) {
      var what = event.target.dataset.zoom;
      if (!what) return;
      if (what === "fit") return whole();
      drawing.zoom({ level: drawing.zoom() * (what === "in" ? 1.3 : 1 / 1.3), renderedPosition: { x: drawing.width() / 2, y: drawing.height() / 2 } });
    });
  }
  function draw(holder) {
    var figure = holder.closest("figure");
    var graph = JSON.parse(holder.dataset.graph);
    var told = figure.querySelector("[data-graph-told]");
    var drawing = cytoscape({
      container: holder, elements: elements(graph, holder), style: style(holder), layout: { name: "preset" },
      maxZoom: 1.6, minZoom: 0.15, userZoomingEnabled: false, boxSelectionEnabled: false
    });
    function whole() { drawing.resize(); drawing.fit(undefined, 28); if (drawing.zoom() > 1.2) { drawing.zoom(1.2); drawing.center(); } }
    whole();
    tools(figure, drawing, whole);
    drawing.on("tap", "node, edge", function (event) { tell(told, event.target.data()); });
    drawing.on("tap", function (event) { if (event.target === drawing) told.replaceChildren(); });
    document.addEventListener("themechange", function () { drawing.style(style(holder)); });
    window.addEventListener("resize", whole);
    holder.dataset.drawn = String(drawing.elements().length);
  }

  function drawAll() { document.querySelectorAll(".graph[data-graph]:not([data-drawn])").forEach(draw); }
  // The graph to explore (explore.js) looks and zooms as all others do.
  window.graphOfPage = { colour: colour, style: style, line: line, tools: tools };
  document.addEventListener("panelopen", drawAll);
  drawAll();
})();
