/* The graph to explore: a click shows who lies around an entity, two that are picked are joined by paths.
   Where nodes stand is computed from their order, so the same address looks the same again. */
(function () {
  "use strict";
  var root = document.querySelector("[data-explore]");
  if (!root) return;
  var page = window.graphOfPage, line = page.line;
  var holder = root.querySelector(".graph"), told = root.querySelector("[data-told]"), status = root.querySelector("[data-status]");
  var form = document.querySelector("form.filters"), statement = document.getElementById("statement");
  var given = JSON.parse(root.dataset.explore);
  var clicks = given.clicks, opened = {}, chosen = null, way = null;
  /* What clicks added, by the entity and their number; the turn changes when the address is gone back from, and what was asked before comes too late. */
  var expansions = {}, turn = 0, begun = false;
  var narrow = holder.clientWidth < 640;
  var BOX = narrow ? { x: 130, y: 96 } : { x: 165, y: 72 };
  var REACH = narrow ? { x: 1.95, y: 3.1 } : { x: 1.75, y: 2.9 };
  var LEAST_ZOOM = narrow ? 0.5 : 0.6, MANY_EDGES = 24;
  var kinds = Array.from(form.querySelectorAll("[name=kind]:checked")).map(function (one) { return one.value; });
  var picked = pickedHere();

  function pickedHere() {
    var address = new URLSearchParams(location.search);
    return { from: address.get("from") || "", to: address.get("to") || "" };
  }

  function style() {
    var colour = page.colour;
    return page.style(holder).concat([
      { selector: "node[?opened]", style: { "border-width": 4, "border-color": colour("link") } },
      { selector: "node[pick = 'from']", style: { "shape": "diamond", "width": 34, "height": 34 } },
      { selector: "node[pick = 'to']", style: { "shape": "round-rectangle", "width": 30, "height": 30 } },
      { selector: "edge[kind = 'same']", style: { "line-style": "dotted", "line-color": colour("series-2"), "target-arrow-shape": "none" } },
      { selector: "edge[kind = 'out']", style: { "width": 1, "line-color": colour("quiet"), "target-arrow-color": colour("quiet"), "target-arrow-shape": "tee" } },
      { selector: "edge[?unread]", style: { "label": "" } },
      { selector: "edge[?way]", style: { "width": 5, "line-color": colour("link"), "target-arrow-color": colour("link"), "label": "data(label)" } },
      { selector: "edge:selected", style: { "label": "data(label)" } }
    ]);
  }
  var drawing = cytoscape({
    container: holder, elements: [], style: style(), layout: { name: "preset" }, maxZoom: 2, minZoom: 0.1, boxSelectionEnabled: false
  });
  function fit(part) {
    drawing.fit(part, narrow ? 12 : 24);
    if (drawing.zoom() > 1.1) { drawing.zoom(1.1); drawing.center(part); }
  }
  function whole() { drawing.resize(); fit(); }
  /* All, or where that is too small to be read what lies around the chosen one and the way that is drawn. */
  function look() {
    whole();
    if (drawing.zoom() < LEAST_ZOOM) fit(drawing.getElementById(chosen).closedNeighborhood().union(drawing.edges("[?way]").connectedNodes()));
  }

  /* Whether two nodes with their names don't touch. */
  function clear(one, spot) {
    var apart = one.above === spot.above ? 1 : (one.above ? one.y < spot.y : spot.y < one.y) ? 0.45 : 1.8;
    return Math.abs(one.x - spot.x) >= BOX.x * 0.85 || Math.abs(one.y - spot.y) >= BOX.y * apart;
  }
  /* Whether the line from a node to a place passes by another node, and not through it. */
  function aside(one, from, to) {
    var x = to.x - from.x, y = to.y - from.y, length = Math.hypot(x, y);
    var along = ((one.x - from.x) * x + (one.y - from.y) * y) / length;
    return along <= 0 || along >= length || Math.abs((one.x - from.x) * y - (one.y - from.y) * x) / length >= BOX.y * 0.3;
  }
  /* The first free place on rings around a node, begun on the side that looks away from the rest. */
  function place(near) {
    var taken = drawing.nodes().map(function (node) { return Object.assign({ above: !!node.data("above") }, node.position()); });
    if (!near) return { x: taken.length ? Math.max.apply(null, taken.map(function (one) { return one.x; })) + 3 * BOX.x : 0, y: 0, above: false };
    var centre = near.position();
    if (near.scratch("away") === undefined) {
      var middle = { x: 0, y: 0 };
      taken.forEach(function (one) { middle.x += one.x / taken.length; middle.y += one.y / taken.length; });
      near.scratch("away", Math.atan2(centre.y - middle.y, centre.x - middle.x));
    }
    for (var ring = 0; ; ring++) {
      var places = 12 + 4 * ring;
      for (var index = 0; index < places; index++) {
        var angle = near.scratch("away") + (index % 2 ? 1 : -1) * Math.ceil(index / 2) * 2 * Math.PI / places;
        // A name that looks away from the middle leaves its edge to be read.
        var spot = { above: Math.sin(angle) < -0.2, x: centre.x + Math.cos(angle) * (REACH.x + ring * 0.7) * BOX.x, y: centre.y + Math.sin(angle) * (REACH.y + ring) * BOX.y };
        if (taken.every(function (one) { return clear(one, spot) && aside(one, centre, spot); })) return spot;
      }
    }
  }
  function put(nodes, edges, near) {
    nodes.forEach(function (node) {
      if (drawing.getElementById(node.id).length) return;
      var spot = place(near);
      node.above = spot.above;
      drawing.add({ group: "nodes", data: node, position: { x: spot.x, y: spot.y } });
    });
    edges.forEach(function (edge) {
      if (!drawn(edge).length) drawing.add({ group: "edges", data: edge });
    });
  }
  /* An edge that says the same of the same two, whichever of its facts was read first. */
  function drawn(edge) {
    return drawing.edges().filter(function (one) {
      return ["source", "target", "label", "kind"].every(function (part) { return one.data(part) === edge[part]; });
    });
  }
  function add(found) {
    put([found.nodes[0]], [], null);
    var node = drawing.getElementById(found.id), left = found.total - found.shown;
    opened[found.id] = { shown: found.shown, total: found.total, left: left };
    node.data({ opened: true, more: left ? "+" + left : "" });
    put(found.nodes.slice(1), found.edges, node);
  }
  function clicksOn(id) { return clicks.filter(function (one) { return one === id; }).length; }
  function ask(address, values, then) {
    var asked = new URLSearchParams(values), now = turn;
    kinds.forEach(function (kind) { asked.append("kind", kind); });
    fetch(address + "?" + asked, { credentials: "same-origin" }).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    }).then(function (found) { if (now === turn) then(found); }, function () { status.textContent = "The server gave no answer. Load the page again."; });
  }
  /* Each click is a step of the browser's history, so that Back undoes it. */
  function remember() {
    form.elements.open.value = clicks.join(",");
    form.elements.from.value = picked.from;
    form.elements.to.value = picked.to;
    var address = new URLSearchParams(location.search);
    [["open", clicks.join(",")], ["from", picked.from], ["to", picked.to]].forEach(function (one) {
      if (one[1]) address.set(one[0], one[1]); else address.delete(one[0]);
    });
    address.delete("text");
    history[begun && String(address) !== location.search.slice(1) ? "pushState" : "replaceState"](null, "", location.pathname + "?" + address);
    begun = true;
    var ids = JSON.stringify(drawing.nodes().map(function (node) { return node.id(); }));
    statement.value = root.dataset.statement.split("$ids").join(ids);
    holder.dataset.drawn = String(drawing.elements().length);
  }
  function open(id) {
    if (opened[id] && !opened[id].left) return choose(id);
    if (clicks.length >= Number(root.dataset.most)) {
      status.textContent = "The graph is full: start over from here.";
      return;
    }
    ask(root.dataset.around, { id: id, number: clicksOn(id) + 1 }, function (found) {
      clicks.push(id);
      expansions[id + " " + clicksOn(id)] = found;
      add(found);
      remember();
      choose(id);
      look();
    });
  }
  function button(text, act) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  }
  function paragraph(class_, parts) {
    var made = document.createElement("p");
    made.className = class_;
    made.append.apply(made, parts);
    return made;
  }
  function heading(text) {
    var made = line("h2", "");
    made.tabIndex = -1;
    made.append(line("bdi", text));
    return made;
  }
  function show(parts) {
    // A button of the list that was used is gone with it: whoever goes by keyboard stays in the list.
    var inside = told.contains(document.activeElement);
    if (picked.from || picked.to) parts.unshift(wayLine());
    told.replaceChildren.apply(told, parts);
    if (inside) told.querySelector("h2").focus();
  }
  function sources(data) {
    var parts = [];
    if (data.kind !== "paths") parts.push(line("small", form.querySelector("[name=kind][value=" + data.kind + "]").parentElement.textContent.trim() + (data.why ? ": " + data.why : "")));
    if (data.claim) parts.push(line("q", data.claim));
    if (data.address) parts.push(line("small", data.title || "the article", data.address));
    return parts;
  }
  function choose(id) {
    chosen = id;
    drawing.elements().unselect();
    var node = drawing.getElementById(id), data = node.data(), state = opened[id];
    node.select();
    drawing.edges().data("unread", drawing.edges().length > MANY_EDGES);
    node.connectedEdges().data("unread", false);
    var more = !state ? "Show its neighbours" : state.left ? "Show more neighbours, " + state.left + (state.left === 1 ? " is left" : " are left") : "";
    var acts = [button("Path from here", function () { pick("from"); }), button("Path to here", function () { pick("to"); }), line("span", "Its page", data.address)];
    if (more) acts.unshift(button(more, function () { open(id); }));
    var list = document.createElement("ul");
    node.connectedEdges().forEach(function (edge) {
      var leaving = edge.source().id() === id, other = leaving ? edge.target() : edge.source();
      var item = document.createElement("li");
      var lead = button(other.data("label"), function () { open(other.id()); }), says = edge.data("label");
      item.append.apply(item, leaving ? [says + " ", lead] : [lead, " " + says + " ", line("bdi", data.label)]);
      item.append.apply(item, sources(edge.data()));
      list.append(item);
    });
    status.textContent = state ? state.shown + " of " + state.total + (state.total === 1 ? " neighbour is drawn." : " neighbours are drawn.") : "";
    show([heading(data.label), paragraph("quiet", [[data.type, data.rate && "answers about it: " + data.rate].filter(Boolean).join(", ")]), paragraph("explore-acts", acts), list]);
  }
  function wayLine() {
    function name(id) { return line("bdi", id && drawing.getElementById(id).length ? drawing.getElementById(id).data("label") : "\u2026"); }
    var parts = ["Path from ", name(picked.from), " to ", name(picked.to), ": ", way ? way.told + " " : "pick the other end. "];
    if (way && way.address) parts.push(line("span", "Its facts as a table", way.address), " ");
    parts.push(button("Forget it", function () {
      picked = { from: "", to: "" };
      join();
    }));
    return paragraph("next", parts);
  }
  function pick(end) {
    picked[end] = chosen;
    var other = end === "from" ? "to" : "from";
    if (picked[other] === chosen) picked[other] = "";
    join();
  }
  /* Draws the shortest paths between the two picked, where two are; what was drawn of others is an edge as all. */
  function join() {
    way = null;
    drawing.edges().data("way", false);
    function end() {
      drawing.nodes().forEach(function (node) {
        node.data("pick", node.id() === picked.from ? "from" : node.id() === picked.to ? "to" : "");
      });
      remember();
      choose(chosen);
      look();
    }
    if (!picked.from || !picked.to) return end();
    ask(root.dataset.way, picked, function (found) {
      way = found;
      found.nodes.forEach(function (node) {
        var beside = found.edges.filter(function (edge) { return edge.source === node.id || edge.target === node.id; })
          .map(function (edge) { return drawing.getElementById(edge.source === node.id ? edge.target : edge.source); })
          .filter(function (one) { return one.length; })[0];
        put([node], [], beside || null);
      });
      put([], found.edges, null);
      found.edges.forEach(function (edge) { drawn(edge).data("way", true); });
      end();
    });
  }
  /* Draws the address that was gone back to, or on to, from what is known of its clicks. */
  function restore() {
    var before = (new URLSearchParams(location.search).get("open") || "").split(",").filter(Boolean), ends = pickedHere();
    if (String(before) === String(clicks) && ends.from === picked.from && ends.to === picked.to) return;
    clicks = before;
    var needed = Array.from(new Set(clicks)).map(function (id) { return expansions[id + " " + clicksOn(id)]; });
    if (!needed.length || needed.indexOf(undefined) >= 0) return location.reload();
    turn++;
    opened = {};
    picked = ends;
    drawing.elements().remove();
    needed.forEach(add);
    chosen = clicks[clicks.length - 1];
    join();
  }
  window.addEventListener("popstate", restore);
  function copy() {
    statement.select();
    var done = document.querySelector("[data-copied]");
    function tell() { done.textContent = "Copied."; }
    if (navigator.clipboard) navigator.clipboard.writeText(statement.value).then(tell, function () { done.textContent = "Copy the marked query."; });
    else if (document.execCommand("copy")) tell();
  }
  document.querySelector("[data-copy]").addEventListener("click", copy);
  drawing.on("tap", "node", function (event) {
    var id = event.target.id();
    if (!opened[id] || chosen === id) open(id); else choose(id);
  });
  drawing.on("tap", "edge", function (event) {
    var data = event.target.data();
    show([heading(data.fact)].concat(sources(data).map(function (one) { return paragraph("", [one]); })));
  });
  document.addEventListener("themechange", function () { drawing.style(style()); });
  window.addEventListener("resize", look);
  page.tools(root.querySelector("figure"), drawing, whole);
  given.expansions.forEach(function (found) {
    expansions[found.id + " " + clicksOn(found.id)] = found;
    add(found);
  });
  chosen = clicks[clicks.length - 1];
  join();
})();
