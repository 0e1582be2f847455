-- The option `-e` makes busted run this file before the tests. It records the events that output handlers receive, and
-- prints nothing.
local folder, root = os.getenv('ARGUS_REPORT_DIR'), os.getenv('ARGUS_REPORT_ROOT') or ''
local busted = require 'busted'
local tests, errors = {}, {}
local started_at = os.time() * 1000
-- The address of a table makes the name unique, because Lua cannot read its process id.
local report_path = folder .. '/busted-' .. tostring({}):gsub('%W', '') .. '.json'

local function write_report(text)
  local file = io.open(report_path, 'w')
  file:write(text)
  file:close()
end

local function to_project_path(file)
  file = file:gsub('\\', '/'):gsub('^%./', '')
  return file:sub(1, #root + 1) == root .. '/' and file:sub(#root + 2) or file
end

-- Returns the names of the suites around a test, outermost first, and the file.
local function find_suites_and_file(element)
  local suite, parent = {}, busted.parent(element)
  while parent and parent.descriptor ~= 'file' do
    if parent.name then table.insert(suite, 1, parent.name) end
    parent = busted.parent(parent)
  end
  local file = parent and parent.name or element.descriptor == 'file' and element.name
  return suite, file and to_project_path(file)
end

local function format_frame(file, line, what)
  return '    at ' .. (what and what:match("'([^()]*)'") or '<anonymous>') .. ' (' .. to_project_path(file) .. ':' .. line .. ')'
end

-- Returns the message without the location that busted and Lua add before it, and the message with the stack, in which
-- the innermost frame comes first.
local function create_error(message, trace)
  local text = type(message) == 'string' and message or 'failed'
  local frames = {}
  for file, line, what in (trace and trace.traceback or ''):gmatch('\n%s*([^\n]-):(%d+): in ([^\n]*)') do
    frames[#frames + 1] = format_frame(file, line, what)
  end
  local file, line, rest = text:match('^([^\n]-):(%d+): (.*)$')
  if file then
    text = rest
    local location = ' (' .. to_project_path(file) .. ':' .. line .. ')'
    if not frames[1] or frames[1]:sub(-#location) ~= location then table.insert(frames, 1, format_frame(file, line)) end
  end
  return { message = text, trace = text .. '\n' .. table.concat(frames, '\n') }
end

local function add_test(element, status, err)
  local suite, file = find_suites_and_file(element)
  local test = {
    name = element.name or element.descriptor or 'outside of tests',
    suite = suite,
    filePath = file,
    status = status,
    duration = (element.duration or 0) * 1000,
  }
  for key, value in pairs(err or {}) do test[key] = value end
  tests[#tests + 1] = test
end

local function subscribe(channel, handle_event)
  busted.subscribe(channel, function(...)
    pcall(handle_event, ...)
    -- The second result lets later subscribers receive the event too.
    return nil, true
  end, { priority = 1 })
end

for _, kind in ipairs { 'failure', 'error' } do
  subscribe({ kind }, function(element, _, message, trace)
    local err = create_error(message, trace)
    -- Adds errors of files and hooks now, because no later event has their result.
    if element.descriptor ~= 'it' then return add_test(element, 'failed', err) end
    errors[element] = errors[element] or err
  end)
end

subscribe({ 'test', 'end' }, function(element, _, status)
  local failed = status == 'failure' or status == 'error'
  add_test(element, failed and 'failed' or status == 'pending' and 'skipped' or 'passed', failed and errors[element])
  errors[element] = nil
end)

subscribe({ 'exit' }, function()
  local report = {
    reportFormat = 'CTRF',
    specVersion = '0.0.0',
    results = { tool = { name = 'busted', version = busted.version }, summary = { start = started_at, stop = os.time() * 1000 }, tests = tests },
  }
  write_report((require 'dkjson'.encode(report)))
end)

-- An empty report remains if a test ends the process.
subscribe({ 'suite', 'start' }, function() write_report('') end)
