/** Starts the pattern table inside a chat. `host.ts` exchanges messages with the chat. */

import '../styles/base.css';
import './app.css';
import { mount } from 'svelte';
import PatternsAnswer from './PatternsAnswer.svelte';

const target = document.getElementById('page');
document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
if (target) mount(PatternsAnswer, { target });
