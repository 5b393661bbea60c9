"use strict";
(() => {
  const tip = document.getElementById("tip");

  // The axes of a figure: from pixels to values.
  const axis = (svg, name) => {
    const [p, q, a, b, kind] = svg.getAttribute("data-" + name).split(" ");
    const n = [p, q, a, b].map(Number);
    const share = x => (x - n[0]) / (n[1] - n[0]);
    return {
      value: x => kind === "log" ? n[2] * Math.pow(n[3] / n[2], share(x)) : n[2] + share(x) * (n[3] - n[2]),
      name: svg.getAttribute("data-" + name + "-label"),
      unit: svg.getAttribute("data-" + name + "-unit"),
    };
  };
  const show = v => {
    const size = Math.abs(v);
    return size !== 0 && (size < 1e-3 || size >= 1e5) ? v.toExponential(3) : String(Number(v.toPrecision(5)));
  };
  const line = (axis, pixel) => `${axis.name}: ${show(axis.value(pixel))} ${axis.unit}`.trim();

  // Data points of a curve are the corners of its path.
  const corners = path => {
    if (!path.corners) {
      path.corners = (path.getAttribute("d").match(/[ML][-\d.]+ [-\d.]+/g) || [])
        .map(c => c.slice(1).split(" ").map(Number));
    }
    return path.corners;
  };
  const inside = (svg, event) => {
    const box = svg.getBoundingClientRect(), size = svg.viewBox.baseVal;
    return [(event.clientX - box.left) * size.width / box.width, (event.clientY - box.top) * size.height / box.height];
  };
  const nearest = (svg, [x, y]) => {
    let best = { distance: 40 * 40 };
    for (const path of svg.querySelectorAll("path.s")) {
      for (const point of corners(path)) {
        const distance = (point[0] - x) ** 2 + (point[1] - y) ** 2;
        if (distance < best.distance) best = { distance, point, path };
      }
    }
    return best.point ? best : null;
  };
  const dot = svg => {
    if (!svg.dot) {
      svg.dot = document.createElementNS(svg.namespaceURI, "circle");
      svg.dot.setAttribute("r", 4.5);
      svg.dot.setAttribute("class", "dot");
      svg.dot.setAttribute("fill", "none");
      svg.dot.setAttribute("stroke", "#222b38");
      svg.dot.setAttribute("stroke-width", 2);
      svg.append(svg.dot);
    }
    return svg.dot;
  };
  const hide = svg => {
    tip.style.display = "none";
    if (svg.dot) svg.dot.setAttribute("visibility", "hidden");
  };
  const place = (event, text) => {
    tip.textContent = text;
    tip.style.display = "block";
    const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
    const above = event.clientY - tip.offsetHeight - 12;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = (above > 4 ? above : event.clientY + 18) + "px";
  };
  const overCurve = (svg, event) => {
    const hit = nearest(svg, inside(svg, event));
    if (!hit) return hide(svg);
    const [x, y] = hit.point, mark = dot(svg);
    mark.setAttribute("cx", x);
    mark.setAttribute("cy", y);
    mark.setAttribute("visibility", "visible");
    const name = hit.path.dataset.name;
    place(event, (name ? name + "\n" : "") + line(axis(svg, "x"), x) + "\n" + line(axis(svg, "y"), y));
  };
  const row = (svg, y) => {
    const vertical = axis(svg, "y"), names = JSON.parse(svg.dataset.rows || "[]");
    return names.length ? `${vertical.name}: ${names[Math.floor(vertical.value(y))] || ""}` : line(vertical, y);
  };
  const overCell = (svg, event) => {
    if (!event.target.classList.contains("c")) return hide(svg);
    const [x, y] = inside(svg, event), value = event.target.dataset.v;
    place(event, svg.classList.contains("map") ? [value, line(axis(svg, "x"), x), row(svg, y)].join("\n") : value);
  };
  const follow = (svg, action) => {
    for (const kind of ["pointermove", "pointerdown"]) svg.addEventListener(kind, event => action(svg, event));
    svg.addEventListener("pointerleave", () => hide(svg));
  };
  document.querySelectorAll("svg.chart").forEach(svg => follow(svg, overCurve));
  document.querySelectorAll("svg.map, svg.bars").forEach(svg => follow(svg, overCell));

  document.querySelectorAll(".switch").forEach(group => group.addEventListener("click", event => {
    const chosen = event.target.dataset.i;
    if (chosen === undefined) return;
    group.querySelectorAll("button").forEach(b => b.setAttribute("aria-pressed", b.dataset.i === chosen));
    group.parentNode.querySelectorAll(".variant").forEach((v, i) => { v.hidden = String(i) !== chosen; });
  }));
})();
