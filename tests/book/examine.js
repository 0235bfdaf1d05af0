// SPDX-License-Identifier: BSL-1.0
// What look.py asks a page that is drawn: the faults that a reader would see, as sentences.
(() => {
    const smallest = 14, contrastOfText = 4.5, wide = document.documentElement.clientWidth;
    const faults = new Map(); // each kind of fault with a few examples
    const say = (kind, example) => faults.set(kind, [...(faults.get(kind) || []), example]);
    const words = (text) => "'" + text.trim().replace(/\s+/g, " ").slice(0, 50) + "'";
    const name = (e) => e.tagName.toLowerCase() + (e.className && e.className.baseVal === undefined ? "." + String(e.className).trim().replace(/\s+/g, ".") : "");

    // Colours, as numbers from 0 to 1 and a share of what is behind them.
    const pen = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const known = new Map();
    const colour = (text) => {
        if (!known.has(text)) {
            pen.clearRect(0, 0, 1, 1);
            pen.fillStyle = text;
            pen.fillRect(0, 0, 1, 1);
            known.set(text, [...pen.getImageData(0, 0, 1, 1).data].map((part) => part / 255));
        }
        return known.get(text);
    };
    const over = (front, back) => [0, 1, 2].map((i) => front[i] * front[3] + back[i] * (1 - front[3])).concat(1);
    const styles = new Map();
    const style = (e) => styles.get(e) || (styles.set(e, getComputedStyle(e)), styles.get(e));
    const grounds = new Map();
    const ground = (e) => {
        if (!e)
            return [1, 1, 1, 1];
        if (!grounds.has(e)) {
            const own = colour(style(e).backgroundColor);
            grounds.set(e, own[3] === 1 ? own : over(own, ground(e.parentElement)));
        }
        return grounds.get(e);
    };
    const light = (c) => {
        const part = (v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
        return 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
    };
    const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const seen = new Map();
    const isSeen = (e) => {
        if (!e)
            return true;
        if (!seen.has(e))
            seen.set(e, style(e).display !== "none" && style(e).visibility === "visible" && Number(style(e).opacity) > 0.05 && isSeen(e.parentElement));
        return seen.get(e);
    };

    const main = document.querySelector("article, main") || document.body;
    if (document.documentElement.scrollWidth > wide) {
        const widest = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > wide + 1 && isSeen(e));
        say(`it is ${document.documentElement.scrollWidth} pixels wide, and the window ${wide}`, widest.length ? name(widest[widest.length - 1]) : "");
    }
    if (![...document.querySelectorAll("h1")].some((e) => e.getBoundingClientRect().height > 0 && isSeen(e)))
        say("it has no heading to be seen", "");

    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const done = new Set();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const e = node.parentElement, text = node.textContent;
        if (!text.trim() || done.has(e) || e.closest("script, style, noscript, template, svg, .katex, .katex-mathml, select, option"))
            continue;
        done.add(e);
        const box = e.getBoundingClientRect();
        if (!isSeen(e) || box.width < 2 || box.height < 2)
            continue;
        if (parseFloat(style(e).fontSize) < smallest - 0.05 && !e.closest("sub, sup"))
            say(`text smaller than ${smallest} pixels`, `${name(e)} ${words(text)} ${style(e).fontSize}`);
        const back = ground(e), found = contrast(over(colour(style(e).color), back), back);
        if (found < contrastOfText)
            say(`text of a contrast below ${contrastOfText}`, `${name(e)} ${words(text)} ${found.toFixed(2)}`);
    }
    for (const e of document.images) {
        const box = e.getBoundingClientRect();
        if (isSeen(e) && (!e.complete || e.naturalWidth === 0 || box.width < 8 || box.height < 8))
            say("a picture that is not to be seen", `${e.getAttribute("src")} ${box.width} x ${box.height}`);
    }
    for (const e of document.querySelectorAll(".graph svg")) {
        const box = e.getBoundingClientRect();
        if (isSeen(e) && (box.width < 8 || box.height < 8))
            say("a picture that is not to be seen", `svg ${box.width} x ${box.height}`);
    }
    for (const e of document.querySelectorAll(".arithmatex, math")) {
        const drawn = e.matches("math") ? e : e.querySelector(".katex-html");
        const box = drawn && drawn.getBoundingClientRect();
        if (e.closest(".katex-mathml"))
            continue;
        if (!drawn || box.width < 4 || box.height < 4 || e.querySelector(".katex-error, merror"))
            say("a formula that is not drawn", words(e.textContent));
    }
    if (main.textContent.trim().length < 40)
        say("next to no text", "");
    return JSON.stringify({
        faults: [...faults].map(([kind, examples]) => `${kind}: ${examples.slice(0, 3).join("; ")}${examples.length > 3 ? ` and ${examples.length - 3} more` : ""}`),
        formulas: document.querySelectorAll(".katex-html, math:not(.katex-mathml math)").length,
        pictures: document.images.length + document.querySelectorAll(".graph svg").length,
        ground: light(ground(main)),
    });
})()
