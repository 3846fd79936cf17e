import { mount } from 'svelte';
import App from './App.svelte';
import { connectBridge, shellOf } from './bridge.ts';
import './style/tokens.css';
import './style/base.css';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app.');
mount(App, { target, props: { connect: connectBridge, shell: shellOf(window) } });
