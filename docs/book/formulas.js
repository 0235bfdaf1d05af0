// SPDX-License-Identifier: BSL-1.0
// Formulas, which stand in the pages as LaTeX between \( \) or \[ \], drawn by KaTeX.
document.addEventListener("DOMContentLoaded", () => {
    for (const place of document.querySelectorAll(".arithmatex")) {
        const text = place.textContent.trim();
        katex.render(text.slice(2, -2), place, {displayMode: text.startsWith("\\["), throwOnError: true});
    }
});
