export const data = {
  pagination: { data: "signals", size: 1, alias: "record" },
  permalink: ({ record }) => `/api/v1/signals/${record.id}.json`,
  eleventyExcludeFromCollections: true,
};

export const render = ({ record }) => JSON.stringify(record);
