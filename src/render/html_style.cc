#include "render/html_parts.h"

namespace srvprof {

std::string_view html_style() {
  return R"css(
body{font:14px/1.45 system-ui,sans-serif;color:#1c1c1c;background:#fdfdfb;max-width:1240px;
  margin:1.5em auto;padding:0 1em}
h1{font-size:1.25em;margin:0}h2{font-size:1.05em;margin:1.8em 0 .5em;border-bottom:1px solid #ddd}
.meta{color:#666;margin:.2em 0 1.2em}.bad{color:#b3261e;font-weight:600}
.verdict{font-size:1.2em;font-weight:600;margin:.2em 0 .4em}
.finding{border-left:4px solid #e15759;padding:.2em .8em;margin:.7em 0;background:#fff}
.finding.body{border-color:#bbb}.finding p{margin:.15em 0}.share{font-weight:700;margin-right:.6em}
.k{color:#666}.try{color:#1d6b2b}
table{border-collapse:collapse;margin:.4em 0;font-variant-numeric:tabular-nums}
th,td{padding:.15em .7em;text-align:right;border-bottom:1px solid #eee}
th:first-child,td:first-child,td.l,th.l{text-align:left;overflow-wrap:anywhere}
th{color:#666;font-weight:600}td.total{font-weight:600}
.bar{display:flex;height:20px;background:#f1f1ee;margin:.15em 0;overflow:hidden}
.bar span{display:block;height:100%;min-width:0}
.bar.line{display:block;position:relative}.bar.line span{position:absolute}
.row{display:grid;grid-template-columns:9em 1fr 7em;gap:.6em;align-items:center}
.legend{margin:.3em 0;color:#444}.legend i{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 1em}
details{margin:.5em 0}summary{cursor:pointer;font-weight:600;overflow-wrap:anywhere}
svg{max-width:100%;height:auto;border:1px solid #eee}
ul.coverage{list-style:none;padding:0}ul.coverage b{display:inline-block;min-width:8em}
)css";
}

}  // namespace srvprof
