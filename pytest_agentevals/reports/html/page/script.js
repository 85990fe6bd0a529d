"use strict";
// Filters the items. The state is in the fragment of the address, so that a link keeps it:
// #status=failed&status=error&evaluator=Relevance&tag=smoke&document=a.json&text=words&item=a.json::id
(() => {
  // Items that are unfolded at once.
  const MOST = 200;
  const form = document.getElementById("filter");
  const shown = document.getElementById("shown");
  const items = Array.from(document.querySelectorAll(".item"), (element) => ({
    element,
    status: element.dataset.status,
    document: element.dataset.document,
    tags: element.dataset.tags.split("\n"),
    verdicts: element.dataset.verdicts.split(" "),
    mixed: "mixed" in element.dataset,
    text: null,
  }));
  const summaryOf = (element) => element.querySelector("summary");
  const labelOf = (element) => decodeURIComponent(summaryOf(element).id.slice("item=".length));
  const byLabel = new Map(items.map(({ element }) => [labelOf(element), element]));

  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  // The body of an item is text until it is needed; all of it was escaped when the page was written.
  const folded = (element) => element.querySelector(":scope > noscript");
  const unfold = (element) => {
    const body = folded(element);
    if (!body) return;
    const template = document.createElement("template");
    template.innerHTML = body.textContent;
    body.replaceWith(template.content);
  };

  // What was said in an item, in lower case. Collected at the first search: most visits need none.
  const entities = { "&lt;": "<", "&gt;": ">", "&#34;": '"', "&#39;": "'", "&amp;": "&" };
  const textOf = (item) => {
    if (item.text === null) {
      const body = folded(item.element);
      const parts = Array.from(item.element.querySelectorAll(".said, .preview"), (element) => element.textContent);
      if (body) {
        for (const [, markup] of body.textContent.matchAll(/ class="said[^>]*>(.*?)<\/(?:div|td|bdi|span|code)>/gs)) {
          parts.push(markup.replace(/<[^>]*>/g, "").replace(/&[a-z0-9#]+;/g, (entity) => entities[entity]));
        }
      }
      item.text = parts.join("\n").toLowerCase();
    }
    return item.text;
  };

  const matches = (item, wanted) => {
    if (wanted.document && item.document !== wanted.document) return false;
    if (wanted.tag && !item.tags.includes(wanted.tag)) return false;
    if (wanted.mixed && !item.mixed) return false;
    if (wanted.evaluator) {
      // With an evaluator, the status is that of its verdicts.
      const found = item.verdicts.some((verdict) => {
        const [name, status] = verdict.split("=");
        return name === wanted.evaluator && (!wanted.status.length || wanted.status.includes(status));
      });
      if (!found) return false;
    } else if (wanted.status.length && !wanted.status.includes(item.status)) return false;
    const text = wanted.words.length ? textOf(item) : "";
    return wanted.words.every((word) => text.includes(word));
  };

  const read = () => {
    const data = new FormData(form);
    const one = (name) => data.get(name) || "";
    return {
      status: data.getAll("status"),
      evaluator: one("evaluator"),
      tag: one("tag"),
      document: one("document"),
      mixed: data.has("mixed"),
      words: words(one("text")),
    };
  };

  const show = () => {
    const wanted = read();
    let count = 0;
    for (const item of items) {
      const visible = matches(item, wanted);
      if (item.element.hidden === visible) item.element.hidden = !visible;
      count += visible;
    }
    shown.textContent = count === items.length ? `${count} items` : `${count} of ${items.length} items`;
    highlight(wanted.words);
  };

  // Marks what was searched for, in items that are open, without touching their text.
  const highlight = (wanted) => {
    if (!window.Highlight || !CSS.highlights) return;
    const found = new Highlight();
    CSS.highlights.set("found", found);
    if (!wanted.length) return;
    for (const { element } of items) {
      if (element.hidden || !element.open) continue;
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && found.size < 2000; node = walker.nextNode()) {
        const text = node.data.toLowerCase();
        // Where lower case is longer, positions are not those of the text.
        if (text.length !== node.data.length || !node.parentElement.closest(".said, .preview")) continue;
        for (const word of wanted) {
          for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            found.add(range);
          }
        }
      }
    }
  };

  const write = () => {
    const parts = [];
    for (const [name, value] of new FormData(form)) {
      if (value) parts.push(`${name}=${encodeURIComponent(value)}`);
    }
    const address = parts.length ? `#${parts.join("&")}` : location.pathname + location.search;
    history.replaceState(null, "", address);
  };

  const restore = () => {
    const state = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
    for (const box of form.querySelectorAll("[type=checkbox]")) box.checked = state.getAll(box.name).includes(box.value);
    for (const name of ["evaluator", "tag", "document", "text"]) {
      const field = form.elements.namedItem(name);
      if (field) field.value = state.get(name) || "";
    }
    show();
    const target = byLabel.get(state.get("item"));
    if (target) {
      target.hidden = false;
      open(target);
      target.scrollIntoView();
      summaryOf(target).focus({ preventScroll: true });
    } else if (location.hash) {
      document.getElementById("items").scrollIntoView();
    }
  };

  let timer = 0;
  const changed = () => {
    write();
    show();
  };
  form.addEventListener("input", (event) => {
    clearTimeout(timer);
    timer = setTimeout(changed, event.target.type === "search" ? 150 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(changed, 0));
  const open = (element) => {
    unfold(element);
    element.open = true;
  };
  document.getElementById("expand").addEventListener("click", () => {
    const visible = items.filter(({ element }) => !element.hidden);
    for (const { element } of visible.slice(0, MOST)) open(element);
    if (visible.length > MOST) shown.textContent += `, the first ${MOST} expanded`;
  });
  document.getElementById("collapse").addEventListener("click", () => {
    for (const { element } of items) if (element.open) element.open = false;
  });
  // Events of "toggle" do not bubble, but are captured.
  document.addEventListener("toggle", (event) => {
    if (!event.target.matches(".item")) return;
    unfold(event.target);
    if (form.elements.namedItem("text").value) highlight(read().words);
  }, true);
  // What failed is printed expanded; the style sheet shows what is closed.
  window.addEventListener("beforeprint", () => {
    for (const { element, status } of items) {
      if (!element.hidden && (status === "failed" || status === "error")) unfold(element);
    }
  });
  const follow = () => {
    // Others are plain anchors.
    if (!location.hash || location.hash.includes("=")) restore();
  };
  window.addEventListener("hashchange", follow);
  form.hidden = false;
  // The search of the browser finds what is unfolded.
  if (items.length <= MOST) for (const { element } of items) unfold(element);
  follow();
})();
