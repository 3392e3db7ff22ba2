// The script inside each flame graph. It touches only its own <svg>, sets text by textContent
// alone, and loads nothing.
#include "render/flamegraph.h"

namespace srvprof {

std::string_view flame_script() {
  return R"js(
"use strict";
var svg = document.getElementById(ID), alone = document.documentElement === svg;
var M = 10, W = 1180, CH = 6.7, zoomed = 0, term = "";
var info = svg.querySelector(".info"), match = svg.querySelector(".match");
var input = svg.querySelector(".find");
var frames = Array.prototype.map.call(svg.querySelectorAll(".fr > g"), function (g) {
  var r = g.querySelector("rect"), t = g.querySelector("title").textContent.split("\n");
  return { g: g, r: r, text: g.querySelector("text"), name: t[0], value: t[1],
           x: +r.getAttribute("x"), y: +r.getAttribute("y"), w: +r.getAttribute("width") };
});
// Positions are printed with three digits: this is below one, and above their error.
var EPS = 0.01;

function place(f, x, w) {
  f.r.setAttribute("x", x);
  f.r.setAttribute("width", w);
  f.text.setAttribute("x", x + 3);
  var n = Math.floor((w - 6) / CH);
  f.text.textContent = n < 3 ? "" : f.name.length <= n ? f.name : f.name.slice(0, n - 2) + "..";
}

function zoom(i) {
  var z = frames[i];
  if (!z) return;
  zoomed = i;
  frames.forEach(function (f) {
    var inside = f.x >= z.x - EPS && f.x + f.w <= z.x + z.w + EPS && f.y <= z.y;
    var below = f.y > z.y && f.x <= z.x + EPS && f.x + f.w >= z.x + z.w - EPS;
    f.g.classList.toggle("off", !inside && !below);
    f.g.classList.toggle("up", below);
    if (below) place(f, M, W);
    if (inside) place(f, M + (f.x - z.x) * W / z.w, f.w * W / z.w);
  });
  save();
}

function matcher(s) {
  try {
    return new RegExp(s, "i");
  } catch (e) {
    return { test: function (name) { return name.toLowerCase().indexOf(s.toLowerCase()) >= 0; } };
  }
}

function search(s) {
  term = s;
  var re = s === "" ? null : matcher(s), hits = [];
  frames.forEach(function (f) {
    var hit = re !== null && re.test(f.name);
    f.g.classList.toggle("hit", hit);
    if (hit) hits.push(f);
  });
  // A frame on top of a matching one is part of it: count the union.
  hits.sort(function (a, b) { return a.x - b.x || b.w - a.w; });
  var end = -1, sum = 0;
  hits.forEach(function (f) {
    if (f.x + f.w <= end + EPS) return;
    sum += f.x + f.w - Math.max(f.x, end);
    end = f.x + f.w;
  });
  match.textContent = re === null ? " " :
      "matched " + hits.length + " frames, " + (100 * sum / W).toFixed(1) + " %";
  save();
}

function save() {
  var h = (zoomed ? "x=" + zoomed : "") + (term ? (zoomed ? "&" : "") + "s=" + encodeURIComponent(term) : "");
  try {
    history.replaceState(null, "", "#" + (alone || !h ? "" : ID + ":") + h);
  } catch (e) { /* a viewer without history */ }
}

function load() {
  var h = location.hash.slice(1);
  if (!alone) {
    if (h.indexOf(ID + ":") !== 0) return;
    h = h.slice(ID.length + 1);
  }
  var x = 0, s = "";
  h.split("&").forEach(function (pair) {
    try {
      if (pair.slice(0, 2) === "x=") x = parseInt(pair.slice(2), 10) || 0;
      if (pair.slice(0, 2) === "s=") s = decodeURIComponent(pair.slice(2));
    } catch (e) { /* not ours */ }
  });
  if (x) zoom(x);
  if (s) { input.value = s; search(s); }
}

frames.forEach(function (f, i) {
  f.g.addEventListener("click", function () { zoom(i); });
  f.g.addEventListener("mouseenter", function () { info.textContent = f.name + "   " + f.value; });
  f.g.addEventListener("mouseleave", function () { info.textContent = " "; });
});
svg.querySelector(".reset").addEventListener("click", function () { zoom(0); });
input.addEventListener("input", function () { search(input.value); });
document.addEventListener("keydown", function (e) {
  if (alone && (e.ctrlKey || e.metaKey) && e.key === "f") { e.preventDefault(); input.focus(); }
  if (e.key === "Escape") { input.value = ""; search(""); zoom(0); }
});
load();
)js";
}

}  // namespace srvprof
