// Elements of the page.
const Elements = (() => {
  const byId = (id) => document.getElementById(id);
  function make(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "text") made.textContent = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }
  return { byId, make };
})();
