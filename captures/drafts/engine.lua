-- From here on nothing depends on the protocol: messages are cut, recognised and shown by the tables above.

local proto = Proto(PROTOCOL.filter, PROTOCOL.name)
local kind_field = ProtoField.string(PROTOCOL.filter .. ".transaction", "Transaction")
local fault_field = ProtoField.string(PROTOCOL.filter .. ".fault", "Fault")
local registered = { kind_field, fault_field }

local function new_field(field, abbreviation)
  local kind, names = field.kind, field.values
  if kind == "unsigned" then
    return (field.size <= 4 and ProtoField.uint32 or ProtoField.uint64)(abbreviation, field.name, base.DEC, field.size <= 4 and names or nil)
  elseif kind == "signed" then
    return (field.size <= 4 and ProtoField.int32 or ProtoField.int64)(abbreviation, field.name, base.DEC, field.size <= 4 and names or nil)
  elseif kind == "base128" then
    return ProtoField.uint64(abbreviation, field.name)
  elseif kind == "float" then
    return (field.size == 4 and ProtoField.float or ProtoField.double)(abbreviation, field.name)
  elseif kind == "time" then
    return ProtoField.double(abbreviation, field.name)
  elseif kind == "bytes" then
    return ProtoField.bytes(abbreviation, field.name)
  end
  return ProtoField.string(abbreviation, field.name)
end

for _, transaction in ipairs(PROTOCOL.transactions) do
  for _, part in ipairs({ "head", "middle", "tail" }) do
    for _, field in ipairs(transaction[part]) do
      field.proto = new_field(field, PROTOCOL.filter .. "." .. transaction.filter .. "." .. field.filter)
      registered[#registered + 1] = field.proto
    end
  end
end
proto.fields = registered

-- Numbers and text

local function unsigned(range, order)
  local value = 0
  for place = 0, range:len() - 1 do
    local at = order == "little" and range:len() - 1 - place or place
    value = value * 256 + range(at, 1):uint()
  end
  return value
end

local function base128_size(buffer, at, most)
  for place = at, math.min(buffer:len(), at + most) - 1 do
    if buffer(place, 1):uint() < 128 then
      return place + 1 - at
    end
  end
  return nil
end

local function base128(range, order)
  local value = 0
  for place = 0, range:len() - 1 do
    local at = order == "big" and place or range:len() - 1 - place
    value = value * 128 + range(at, 1):uint() % 128
  end
  return value
end

local function characters(range, field)
  if field.codec == "utf_16_le" then
    return range:le_ustring()
  elseif field.codec == "utf_16_be" then
    return range:ustring()
  elseif not CHARACTERS[field.codec] then
    return range:string(ENC_UTF_8)
  end
  local found = {}
  for place = 0, range:len() - 1 do
    found[#found + 1] = CHARACTERS[field.codec][range(place, 1):uint() + 1]
  end
  return table.concat(found)
end

local function stripped(text, field)
  if field.side == "left" then
    while #text > 0 and field.pad:find(text:sub(1, 1), 1, true) do text = text:sub(2) end
  else
    while #text > 0 and field.pad:find(text:sub(-1), 1, true) do text = text:sub(1, -2) end
  end
  return text
end

local function packed(range, field)
  local digits = tostring(range:bytes()):lower()
  local sign = ""
  if field.sign then
    local last = digits:sub(-1)
    digits = digits:sub(1, -2)
    if not last:find("[a-f]") then return nil end
    sign = (last == "b" or last == "d") and "-" or ""
  end
  if digits:find("[^0-9]") then return nil end
  digits = digits:gsub("^0+(%d)", "%1")
  return (digits == "0" and "" or sign) .. digits
end

local function days(year, month, day)
  if month <= 2 then year = year - 1 end
  local era = math.floor(year / 400)
  local of_era = year - era * 400
  local of_year = math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return era * 146097 + of_era * 365 + math.floor(of_era / 4) - math.floor(of_era / 100) + of_year - 719468
end

local function written_time(text, parts)
  local found = {}
  for _, part in ipairs(parts) do
    local digits = text:sub(part[2] + 1, part[2] + part[3])
    if digits:find("[^0-9]") or #digits ~= part[3] then return nil end
    found[part[1]] = tonumber(digits)
  end
  local year = found.CCYY
  if not year then year = 1970 + (found.YY - 70) % 100 end
  local day = found.DDD and days(year, 1, 1) + found.DDD - 1 or days(year, found.MM, found.DD)
  local fraction = found.ttt and found.ttt / 1000 or found.th and found.th / 100 or found.t and found.t / 10 or 0
  return day * 86400 + (found.hh or 0) * 3600 + (found.mm or 0) * 60 + (found.ss or 0) + fraction
end

local function time_of(range, field)
  if field.ticks then
    return unsigned(range, field.order) / field.ticks
  elseif field.packed then
    local digits = tostring(range:bytes())
    return written_time(digits:sub(#digits - field.width + 1), field.parts)
  end
  return written_time(characters(range, field), field.parts)
end

-- Fields

local function show(tree, range, field)
  local kind, little = field.kind, field.order == "little"
  if range:len() == 0 then
    tree:add(field.proto, range)
  elseif kind == "unsigned" or kind == "signed" or kind == "float" then
    if little then tree:add_le(field.proto, range) else tree:add(field.proto, range) end
  elseif kind == "base128" then
    local value = base128(range, field.order)
    tree:add(field.proto, range, UInt64.new(value % 4294967296, math.floor(value / 4294967296)))
  elseif kind == "time" then
    local seconds = time_of(range, field)
    if seconds then tree:add(field.proto, range, seconds) else tree:add(range, field.name .. ": no time") end
  elseif kind == "packed" then
    tree:add(field.proto, range, packed(range, field) or tostring(range:bytes()):lower())
  elseif kind == "decimal" then
    local digits = characters(range, field):gsub("^[ %z]+", ""):gsub("[ %z]+$", "")
    tree:add(field.proto, range, digits:find("^%d+$") and digits:gsub("^0+(%d)", "%1") or tostring(range:bytes()):lower())
  elseif kind == "text" then
    tree:add(field.proto, range, field.pad and stripped(characters(range, field), field) or characters(range, field))
  elseif kind == "hex" then
    tree:add(field.proto, range, characters(range, field):lower():gsub("[ %z]+$", ""))
  else
    tree:add(field.proto, range)
  end
end

local function number_of(range, field)
  if field.kind == "base128" then return base128(range, field.order) end
  if field.kind == "packed" then return tonumber(packed(range, field) or "") end
  if field.kind == "decimal" then return tonumber((characters(range, field):gsub("[ %z]", ""))) end
  return unsigned(range, field.order)
end

local function size_of(buffer, field, at, stop, numbers)
  if field.from then
    return numbers[field.from] and numbers[field.from] * field.unit + field.plus
  elseif field.rest then
    return math.max(stop - at, 0)
  elseif field.own then
    return base128_size(buffer, at, 10)
  end
  return field.size
end

-- Calls `each` with every field and its range; returns why it does not fit, or nil.
local function walk(buffer, transaction, each)
  local numbers, at, stop = {}, transaction.head_size, buffer:len() - transaction.tail_size
  if buffer:len() < at + transaction.tail_size then return "too short" end
  local function take(field, begin, size)
    local range = buffer(begin, size)
    if field.measures then numbers[field.name] = number_of(range, field) end
    each(field, range)
  end
  for _, field in ipairs(transaction.head) do take(field, field.at, field.size) end
  for _, field in ipairs(transaction.middle) do
    local size = size_of(buffer, field, at, stop, numbers)
    if not size or size < 0 or at + size > stop then return "no room for " .. field.name end
    take(field, at, size)
    at = at + size
  end
  if at ~= stop then return (stop - at) .. " bytes behind the last field" end
  for _, field in ipairs(transaction.tail) do take(field, stop + field.at, field.size) end
  return nil
end

local function recognise(buffer, role)
  for _, transaction in ipairs(PROTOCOL.transactions) do
    local holds = transaction[role]
    for _, condition in ipairs(holds and transaction.conditions or {}) do
      for place = 1, #condition.value do
        local at = condition.position + place - 1
        if at >= buffer:len() or bit.band(buffer(at, 1):uint(), condition.mask[place]) ~= condition.value[place] then
          holds = false
        end
      end
    end
    if holds then return transaction end
  end
  return nil
end

-- Where the message at an offset ends: its size, nil where more is needed, false where none can begin.
local function measure(buffer, at, framing, role)
  local left = buffer:len() - at
  if framing.kind == "fixed" then
    return framing.size
  elseif framing.kind == "delimiter" then
    for place = at, buffer:len() - #framing.value do
      local met = true
      for index = 1, #framing.value do
        met = met and buffer(place + index - 1, 1):uint() == framing.value[index]
      end
      if met then return place + #framing.value - at end
    end
    return nil
  elseif framing.kind == "length" then
    local behind = framing.position + framing.width
    if framing.encoding == "base128" then
      if left < framing.position then return nil end
      local width = base128_size(buffer, at + framing.position, framing.width)
      if not width then return left < behind and nil end
      behind = framing.position + width
    end
    if left < behind then return nil end
    local range = buffer(at + framing.position, behind - framing.position)
    local number
    if framing.encoding == "base128" then
      number = base128(range, framing.order)
    elseif framing.encoding == "digits" then
      number = tonumber((characters(range, framing):gsub("[ %z]", "")))
    else
      number = unsigned(range, framing.order)
    end
    local size = number and number * framing.unit + framing.add + (framing.counts or behind)
    return size and size >= behind and size
  elseif framing.kind == "transactions" then
    local whole = buffer(at):tvb()
    local transaction = recognise(whole, role)
    if not transaction then return false end
    local size = transaction.head_size
    if #transaction.middle == 0 then return size end
    if left < size then return nil end
    local numbers = {}
    for _, field in ipairs(transaction.head) do
      if field.measures then numbers[field.name] = number_of(whole(field.at, field.size), field) end
    end
    for _, field in ipairs(transaction.middle) do
      local more = size_of(whole, field, size, left, numbers)
      if not more then return nil end
      if field.measures then
        if size + more > left then return nil end
        numbers[field.name] = number_of(whole(size, more), field)
      end
      size = size + more
    end
    return size + transaction.tail_size
  end
  return left
end

local function show_message(buffer, role, tree, framing, pinfo)
  local stripped_size = framing.kind == "delimiter" and not framing.keep and #framing.value or 0
  local message = buffer(0, buffer:len() - stripped_size):tvb()
  local transaction = recognise(message, role)
  local branch = tree:add(proto, buffer(), PROTOCOL.name .. ": " .. (transaction and transaction.name or "unknown"))
  if not transaction then
    branch:add(fault_field, buffer(), "no transaction is it")
    return
  end
  pinfo.cols.info:append(" " .. transaction.name)
  branch:add(kind_field, buffer(), transaction.name)
  local fault = walk(message, transaction, function(field, range) show(branch, range, field) end)
  if fault then branch:add(fault_field, buffer(), fault) end
end

function proto.dissector(buffer, pinfo, tree)
  local role = pinfo.match_uint == pinfo.dst_port and "initiator" or "responder"
  local framing = PROTOCOL.framing[role]
  local at, total = 0, buffer:len()
  pinfo.cols.protocol = PROTOCOL.name
  pinfo.cols.info = role
  while at < total do
    local size = measure(buffer, at, framing, role)
    if size == false then
      tree:add(proto, buffer(at)):add(fault_field, buffer(at), "bytes that cannot be cut")
      return total
    elseif not size or at + size > total then
      pinfo.desegment_offset = at
      pinfo.desegment_len = size and at + size - total or DESEGMENT_ONE_MORE_SEGMENT
      return total
    end
    show_message(buffer(at, size):tvb(), role, tree, framing, pinfo)
    at = at + size
  end
  return total
end

if PROTOCOL.port > 0 then
  DissectorTable.get("tcp.port"):add(PROTOCOL.port, proto)
else
  DissectorTable.get("tcp.port"):add_for_decode_as(proto)
end
