export const data = {
  permalink: "/api/v1/signals.json",
  eleventyExcludeFromCollections: true,
};

export const render = ({ signals }) => JSON.stringify({ records: signals });
