/** Starts the page. */

// First, so that the token is out of the address before anything reads it.
import './data/live/token.ts';
import './styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { session } from './data/session.svelte.ts';

const target = document.getElementById('page');
if (target) mount(App, { target });
void session.start();
