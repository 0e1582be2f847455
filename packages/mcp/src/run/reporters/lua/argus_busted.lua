-- busted runs this file before its tests because of `-e`. It records the events for output handlers, and prints
-- nothing.
local folder, root = os.getenv('ARGUS_REPORT_DIR'), os.getenv('ARGUS_REPORT_ROOT') or ''
local busted = require 'busted'
local tests, faults = {}, {}
local began = os.time() * 1000

local function relative(file)
  file = file:gsub('\\', '/'):gsub('^%./', '')
  return file:sub(1, #root + 1) == root .. '/' and file:sub(#root + 2) or file
end

-- The names of the parents of a test, and their file.
local function place(element)
  local suite, parent = {}, busted.parent(element)
  while parent and parent.descriptor ~= 'file' do
    if parent.name then table.insert(suite, 1, parent.name) end
    parent = busted.parent(parent)
  end
  local file = parent and parent.name or element.descriptor == 'file' and element.name
  return suite, file and relative(file)
end

local function frame(file, line, what)
  return '    at ' .. (what and what:match("'([^()]*)'") or '<anonymous>') .. ' (' .. relative(file) .. ':' .. line .. ')'
end

-- The message without the location that busted and Lua add before it, and the stack below it, innermost frame first.
local function fault(message, trace)
  local text = type(message) == 'string' and message or 'failed'
  local frames = {}
  for file, line, what in (trace and trace.traceback or ''):gmatch('\n%s*([^\n]-):(%d+): in ([^\n]*)') do
    frames[#frames + 1] = frame(file, line, what)
  end
  local file, line, rest = text:match('^([^\n]-):(%d+): (.*)$')
  if file then
    text = rest
    local place = ' (' .. relative(file) .. ':' .. line .. ')'
    if not frames[1] or frames[1]:sub(-#place) ~= place then table.insert(frames, 1, frame(file, line)) end
  end
  return { message = text, trace = text .. '\n' .. table.concat(frames, '\n') }
end

local function add(element, status, found)
  local suite, file = place(element)
  local test = {
    name = element.name or element.descriptor or 'outside of tests',
    suite = suite,
    filePath = file,
    status = status,
    duration = (element.duration or 0) * 1000,
  }
  for key, value in pairs(found or {}) do test[key] = value end
  tests[#tests + 1] = test
end

local function subscribe(channel, heard)
  busted.subscribe(channel, function(...)
    pcall(heard, ...)
    -- Lets later subscribers receive the event too.
    return nil, true
  end, { priority = 1 })
end

for _, kind in ipairs { 'failure', 'error' } do
  subscribe({ kind }, function(element, _, message, trace)
    local found = fault(message, trace)
    -- Files and hooks have no event with their result.
    if element.descriptor ~= 'it' then return add(element, 'failed', found) end
    faults[element] = faults[element] or found
  end)
end

subscribe({ 'test', 'end' }, function(element, _, status)
  local failed = status == 'failure' or status == 'error'
  add(element, failed and 'failed' or status == 'pending' and 'skipped' or 'passed', failed and faults[element])
  faults[element] = nil
end)

subscribe({ 'exit' }, function()
  local report = {
    reportFormat = 'CTRF',
    specVersion = '0.0.0',
    results = { tool = { name = 'busted', version = busted.version }, summary = { start = began, stop = os.time() * 1000 }, tests = tests },
  }
  -- Lua cannot read its process id.
  local file = io.open(folder .. '/busted-' .. tostring(report):gsub('%W', '') .. '.json', 'w')
  file:write((require 'dkjson'.encode(report)))
  file:close()
end)
