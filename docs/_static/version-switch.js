/* Fills the list of versions in the sidebar from versions.js, which stands one folder above this version.
   Without that file, as in a folder that was copied alone, the list has this version only. */
(function () {
  "use strict";
  const root = document.documentElement.dataset.content_root || "./";
  const list = document.createElement("script");
  list.src = root + "../versions.js";
  list.onload = function () {
    const select = document.getElementById("version-switch");
    if (!select || !window.airtcpVersions) return;
    const here = select.value;
    for (const version of window.airtcpVersions.versions) {
      if (version !== here) select.add(new Option(version, version));
    }
    select.addEventListener("change", function () {
      location.href = root + "../" + select.value + "/index.html";
    });
  };
  document.addEventListener("DOMContentLoaded", function () { document.head.append(list); });
})();
