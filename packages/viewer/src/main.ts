/** Starts the page. */

// Imported first, so that the token is removed from the address before other code reads it.
import './data/live/token.ts';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { session } from './data/session.svelte.ts';

const target = document.getElementById('page');
if (target) mount(App, { target });
void session.start();
