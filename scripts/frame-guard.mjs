// Header that keeps other sites from showing the page in a frame, where a click may be tricked out of a person. The
// embedded view (?embed) is made for other sites. A meta element cannot hold `frame-ancestors`
// (https://www.w3.org/TR/CSP3/#meta-element), so the service worker sets the same header, and a host may.
export const ownAncestors = "frame-ancestors 'self'";

export const isEmbed = (url) => new URL(url, 'http://localhost').searchParams.has('embed');

/** Plugin for the development server and the preview. */
export function frameGuard() {
  const guard = ({ middlewares }) => {
    middlewares.use((request, response, next) => {
      if (!isEmbed(request.url)) response.setHeader('Content-Security-Policy', ownAncestors);
      next();
    });
  };
  return { name: 'frame-guard', configureServer: guard, configurePreviewServer: guard };
}
