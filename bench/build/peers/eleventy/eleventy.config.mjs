export default function (config) {
  config.setQuietMode(true);
}

export const config = { templateFormats: ["11ty.js"] };
