
"use strict";
(() => {
  const root = document.documentElement;
  const one = (selector) => document.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const FILTERS = ["kind", "stage", "wave", "owner", "ending"];
  const state = { q: "", kind: "", stage: "", wave: "", owner: "", ending: "" };
  const box = one("#q"), count = one("#count"), clear = one("#clear");
  const items = all("[data-item]").map((element) => ({ element, text: element.textContent.toLowerCase() }));
  const chapters = all("[data-chapter]");
  let found = [], current = -1;
  root.classList.add("js");

  // what is shown

  const words = () => (state.q.toLowerCase().match(/"[^"]+"|\S+/g) || []).map((word) => word.replace(/^"|"$/g, "")).filter(Boolean);
  const active = () => FILTERS.some((name) => state[name]) || words().length > 0;

  function passes(item, sought) {
    const data = item.element.dataset;
    const fits = FILTERS.every((name) => {
      if (!state[name]) return true;
      const values = data[name] || "";
      return name === "wave" || name === "ending" ? values.split(" ").includes(state[name]) : values === state[name];
    });
    return fits && sought.every((word) => item.text.includes(word));
  }

  function apply() {
    const sought = words(), on = active();
    found = [];
    for (const item of items) {
      const shown = !on || passes(item, sought);
      item.element.hidden = !shown;
      if (shown && on) found.push(item.element);
    }
    for (const chapter of chapters) chapter.hidden = on && !chapter.querySelector("[data-item]:not([hidden])");
    for (const block of all(".block")) block.hidden = on && !block.querySelector("[data-item]:not([hidden])");
    const total = (kind, list) => list.filter((element) => element.dataset.item === kind).length;
    const every = items.map((item) => item.element);
    count.textContent = !on ? "" : !found.length ? "Nothing is found." : `${total("card", found)} of ${total("card", every)} cards, ${total("instruction", found)} of ${total("instruction", every)} instructions`;
    clear.hidden = !on;
    count.parentElement.hidden = !on;
    root.classList.toggle("searching", sought.length > 0);
    root.classList.toggle("filtering", on);
    for (const name of FILTERS) {
      const select = one(`#${name}`);
      if (select) { select.value = state[name]; select.classList.toggle("on", Boolean(state[name])); }
    }
    root.classList.toggle("filtered", Boolean(state.stage || state.ending));
    for (const link of all("[data-set]")) link.classList.toggle("on", state[link.dataset.set] === link.dataset.value);
    const lit = new Set();
    for (const branch of all(".branch")) {
      const { ending, stage } = branch.dataset;
      const on = (!state.ending || ending === state.ending) && (!state.stage || stage === state.stage);
      branch.classList.toggle("on", on);
      if (on) lit.add(ending);
    }
    for (const rail of all(".rail")) rail.classList.toggle("lit", lit.has(rail.dataset.ending));
    for (const details of all("details")) {
      const text = sought.length ? details.textContent.toLowerCase() : "";
      details.open = sought.some((word) => text.includes(word));
    }
    highlight(sought);
    choose(-1);
  }

  function highlight(sought) {
    if (!window.CSS || !CSS.highlights) return;
    CSS.highlights.delete("found");
    if (!sought.length) return;
    const ranges = [];
    for (const element of found) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node && ranges.length < 3000; node = walker.nextNode()) {
        const text = node.data.toLowerCase();
        if (text.length !== node.data.length) continue;
        for (const word of sought) {
          for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            ranges.push(range);
          }
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  }

  function choose(index) {
    if (current >= 0) all(".current").forEach((element) => element.classList.remove("current"));
    current = index;
    if (index < 0) return;
    found[index].classList.add("current");
    found[index].scrollIntoView({ block: "nearest" });
  }

  // the address: #card?q=…&stage=…

  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

  function address() {
    const [target, query] = location.hash.slice(1).split(/\?(.*)/s);
    return { target: decoded(target), query };
  }

  function remember() {
    const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value)).toString();
    const { target } = address();
    const kept = target && !(document.getElementById(target) || {}).hidden ? encodeURI(target) : "";
    const hash = kept || query ? `#${kept}${query ? `?${query}` : ""}` : " ";
    if (hash.trim() !== location.hash) history.replaceState(null, "", hash === " " ? location.pathname + location.search : hash);
  }

  function set(changes) {
    Object.assign(state, changes);
    if ("q" in changes && box.value !== state.q) box.value = state.q;
    apply();
    remember();
  }

  const cleared = () => ({ q: "", kind: "", stage: "", wave: "", owner: "", ending: "" });

  function visit() {
    const { target, query } = address();
    all(".marked").forEach((element) => element.classList.remove("marked"));
    if (query !== undefined) {
      const given = new URLSearchParams(query);
      Object.assign(state, cleared(), Object.fromEntries(Object.keys(state).map((name) => [name, given.get(name) || ""])));
      box.value = state.q;
      apply();
    }
    const element = target && document.getElementById(target);
    if (!element) return;
    if (element.hidden || (element.closest("[data-chapter]") || {}).hidden) set(cleared());
    else remember();
    if (element.matches("[data-item]")) {
      element.classList.add("marked");
      element.focus({ preventScroll: true });
    }
    const show = () => {
      const small = element.matches("[data-item]") && element.offsetHeight < innerHeight * .7;
      element.scrollIntoView({ block: small ? "center" : "start" });
    };
    show();
    requestAnimationFrame(() => requestAnimationFrame(show)); // cards that come into sight take their true height
  }

  addEventListener("hashchange", visit);

  // search and filters

  box.addEventListener("input", () => {
    set({ q: box.value });
    scrollTo(0, 0);
  });
  for (const name of FILTERS) {
    const select = one(`#${name}`);
    if (select) select.addEventListener("change", () => set({ [name]: select.value }));
  }
  clear.addEventListener("click", () => { set(cleared()); box.focus(); });
  for (const link of all("[data-set]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const { set: name, value } = link.dataset;
      set({ [name]: state[name] === value ? "" : value });
    });
  }

  addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      box.focus();
      box.select();
    } else if (event.target === box) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && found.length) {
        event.preventDefault();
        choose(Math.min(found.length - 1, Math.max(0, current + step)));
      } else if (event.key === "Enter" && found.length) {
        event.preventDefault();
        const chosen = found[Math.max(0, current)];
        if (chosen.id) location.hash = `#${encodeURI(chosen.id)}?${new URLSearchParams(Object.entries(state).filter(([, value]) => value))}`;
      } else if (event.key === "Escape") {
        event.preventDefault();
        if (box.value) set({ q: "" }); else box.blur();
      }
    }
  });

  const measure = () => root.style.setProperty("--bar", `${one(".bar").offsetHeight}px`);

  // knobs

  const theme = one("#theme"), themes = ["auto", "light", "dark"];
  function paint(name) {
    if (name === "auto") delete root.dataset.theme; else root.dataset.theme = name;
    theme.textContent = name[0].toUpperCase() + name.slice(1);
    theme.setAttribute("aria-label", `Colours: ${name}`);
  }
  let painted = "auto";
  try { painted = localStorage.getItem("rulecard-theme") || "auto"; } catch { /* no storage here: the system decides */ }
  paint(themes.includes(painted) ? painted : "auto");
  theme.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme || "auto") + 1) % themes.length];
    paint(next);
    try { localStorage.setItem("rulecard-theme", next); } catch { /* it lasts as long as the page */ }
  });
  const more = one("#more");
  more.addEventListener("click", () => {
    more.setAttribute("aria-expanded", String(one(".bar").classList.toggle("wide")));
    measure();
  });
  addEventListener("beforeprint", () => all("details").forEach((details) => { details.open = true; }));
  const brief = one("#brief");
  brief.addEventListener("click", () => {
    const on = document.body.classList.toggle("brief");
    brief.setAttribute("aria-pressed", String(on));
  });

  // the prompt, under a set of switches

  const prompt = one("#prompt"), switches = all("[data-switch]", one("#read"));
  function read() {
    const question = prompt ? prompt.value : "";
    const on = new Set(switches.filter((box) => box.checked).map((box) => box.dataset.switch));
    const used = new Set();
    for (const block of all(".block")) {
      const { block: id, switch: name, prompts, adds } = block.dataset;
      const told = id !== undefined ? prompts.includes(`|${question}|`)
        : adds !== undefined ? adds === question
        : !prompt || prompt.selectedOptions[0].dataset.opens === "yes";
      if (told && name) used.add(name);
      block.classList.toggle("out", !told || Boolean(name && !on.has(name)));
    }
    const kept = [...on].filter((name) => used.has(name)).sort().join("+");
    one("#golden").textContent = [question ? `question.${question}` : "instructions", kept, "txt"].filter(Boolean).join(".");
  }
  if (prompt) prompt.addEventListener("change", read);
  for (const box of switches) box.addEventListener("change", read);
  read();

  // where the reader is

  const jumps = new Map(all("[data-jump]").map((link) => [link.dataset.jump, link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const link = jumps.get(entry.target.id);
      if (link) link.classList.toggle("here", entry.isIntersecting);
    }
  }, { rootMargin: "-25% 0px -70% 0px" });
  chapters.forEach((chapter) => seen.observe(chapter));

  addEventListener("resize", measure);
  measure();
  apply();
  if (location.hash) visit();
})();
