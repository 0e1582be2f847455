// Svelte's own settings, read by the build and by svelte-check.
export default { compilerOptions: { runes: true } };
