// What a site's script tag loads: it finds out which tag that was, and brings
// the rest. Written for the oldest browsers, in which it then does nothing.
(function () {
  var script = document.currentScript || document.querySelector('script[src$="/widget.js"]');
  if (!script || window.docentWidget) return; // a second tag changes nothing
  // A site can remove the widget before it is there.
  var widget = (window.docentWidget = {
    remove: function () {
      widget.removed = true;
    },
  });
  import(new URL('__MAIN__', script.src).href)
    .then(function (main) {
      return main.start(script, widget);
    })
    .catch(function (error) {
      console.warn('docent: the widget could not be loaded', error);
    });
})();
