import apiRequest from 'undici/lib/api/api-request.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';

/**
 * The parts of undici that are used. Its index brings fetch, WebSocket and caches along: 741 KB of a minified Lambda
 * bundle where these are 477 KB. The version is pinned, and every test of a target goes through this file.
 */
Dispatcher.prototype.request = apiRequest; // what undici's index does for all its dispatchers

export { Agent, buildConnector };
