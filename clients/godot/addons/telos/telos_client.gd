class_name TelosClient
extends Node
## A client of a Telos service: sends what players do, and tells what they are after.
##
## Add it to the scene (or make it an autoload), set [member address], and connect
## [signal belief_changed]. [method send] never waits: events are queued, and sent in
## [method _process]. An event waits until the service has answered for it; after a broken
## connection what is not answered is sent again, with the same ids, so that nothing is lost
## and nothing is counted twice.

signal belief_changed(belief: Dictionary)
## The service refused an event; nothing sends it again.
signal event_refused(player: String, event: Dictionary, problem: Dictionary)
## So many events were not taken because the queue was full.
signal events_dropped(count: int)
## The service refused a subscription.
signal subscription_refused(problem: Dictionary)
signal online
## The service is not there; the client tries again after so many seconds.
signal offline(reason: String, wait: float)

const MAX_EVENT_BYTES := 60000
const MAX_MESSAGE_EVENTS := 200
const MAX_MESSAGE_LENGTH := 250000
const MAX_INBOUND_BYTES := 8000000
const OPEN_SECONDS := 10.0
const ASK_SECONDS := 30.0
## The token or the page is not admitted: asking at once again does not help.
const REFUSED: Array[int] = [4401, 4403]
## The service could not keep the events now: they are sent again.
const RETRIED: Array[int] = [429, 503]

@export var address := "http://127.0.0.1:8700"
@export var token := ""
## The model that reads the events; the first of the service, if empty.
@export var model := ""
## How many events may wait for an acknowledgement; further ones are dropped, and told.
@export var capacity := 10000
## How many messages may be unanswered at a time.
@export var window := 16
## Hear the belief after each event, and not only the last of each message.
@export var every_belief := false
## Seconds before a connection is tried again: the first pause, and the longest.
@export var first_retry := 0.25
@export var longest_retry := 15.0

var taken := 0
var acknowledged := 0
var refused := 0
var dropped := 0
var is_online := false

var _socket: WebSocketPeer
var _sender := ""
var _queue: Array[Dictionary] = []
var _unanswered: Array[Dictionary] = []
var _sent := 0
var _last := 0
var _made := 0
var _time := -INF
var _told_dropped := 0
var _wanted := {}
var _controls: Array[String] = []
var _beliefs := {}
var _by_player := {}
var _pause := 0.0
var _opening := 0.0
var _retry := 0.0


func _ready() -> void:
	_sender = Crypto.new().generate_random_bytes(6).hex_encode()
	_retry = first_retry


func _process(delta: float) -> void:
	_tell_dropped()
	if _socket == null:
		_pause -= delta
		if _pause <= 0.0:
			_open()
		return
	_socket.poll()
	match _socket.get_ready_state():
		WebSocketPeer.STATE_CONNECTING:
			_opening += delta
			if _opening > OPEN_SECONDS:
				_lose(0, "it does not answer")
		WebSocketPeer.STATE_OPEN:
			_talk()
		WebSocketPeer.STATE_CLOSED:
			_lose(_socket.get_close_code(), _socket.get_close_reason())


func _exit_tree() -> void:
	if _socket != null:
		_socket.close()
		_socket = null


## Queue an event and return at once; false if the queue is full, or if no service could read it.
## Without a time the event has that of the clock.
func send(
	player: String, action: String, context := {}, time: float = NAN, goal: String = ""
) -> bool:
	if player.is_empty() or action.is_empty():
		push_error("player and action must be texts that are not empty")
		return false
	if waiting() >= capacity:
		dropped += 1
		return false
	if is_nan(time):  # a clock that is put back stands still
		time = maxf(_time, Time.get_unix_time_from_system())
	if not is_finite(time):
		push_error("time must be a finite number")
		return false
	var event := {"action": action, "time": time, "id": "%s-%d" % [_sender, _made + 1]}
	if not context.is_empty():
		event["context"] = context.duplicate()
	if not goal.is_empty():
		event["goal"] = goal
	for fact: Variant in context:
		if not _is_fact(context[fact]):
			push_error("the fact %s must be a number, a text, a list of texts, or yes or no" % fact)
			return false
	var text := JSON.stringify(event, "", false, true)
	if text.to_utf8_buffer().size() > MAX_EVENT_BYTES:
		push_error("an event of more than %d bytes: send fewer facts" % MAX_EVENT_BYTES)
		return false
	_made += 1
	_time = time
	taken += 1
	_queue.append({"player": player, "event": event, "text": text})
	return true


## Hear about players whoever sends their events; "*" is everybody.
func subscribe(players: PackedStringArray) -> void:
	for player in players:
		_wanted[player] = true
	_controls.append(_control("subscribe", players))


func unsubscribe(players: PackedStringArray) -> void:
	for player in players:
		_wanted.erase(player)
	_controls.append(_control("unsubscribe", players))


## The last belief that was heard about a player: player, model, seq, time, top, goals; or empty.
func belief(player: String) -> Dictionary:
	return _by_player.get(player, {})


## How many events are neither acknowledged nor refused.
func waiting() -> int:
	return taken - acknowledged - refused


## Ask for a plan: [code]var answer = await client.plan({"ammo": 3}, "kill_enemy")[/code].
## A problem has "status" and "detail"; its status is 0 if the service does not answer.
func plan(state: Dictionary, goal: String, options := {}) -> Dictionary:
	var body := {"state": state, "goal": goal}
	body.merge(options)
	return await _ask(HTTPClient.METHOD_POST, "/v1/plan", body)


## Ask for the action that a character should do now.
func choose(actions: Array, goals: Array, by := "discontentment") -> Dictionary:
	var body := {"actions": actions, "goals": goals, "by": by}
	return await _ask(HTTPClient.METHOD_POST, "/v1/choose", body)


## Ask what the service knows about a player, with "why".
func ask_player(player: String) -> Dictionary:
	return await _ask(HTTPClient.METHOD_GET, "/v1/players/" + player.uri_encode(), {})


func _ask(method: HTTPClient.Method, path: String, body: Dictionary) -> Dictionary:
	var request := HTTPRequest.new()
	request.timeout = ASK_SECONDS
	add_child(request)
	var headers := PackedStringArray(["Content-Type: application/json"])
	if not token.is_empty():
		headers.append("Authorization: Bearer " + token)
	var text := "" if body.is_empty() else JSON.stringify(body, "", false, true)
	var problem := {"status": 0, "detail": "%s does not answer" % address}
	if request.request(_base() + path, headers, method, text) != OK:
		request.queue_free()
		return problem
	var done: Array = await request.request_completed
	request.queue_free()
	var data: PackedByteArray = done[3]
	var said: Variant = JSON.parse_string(data.get_string_from_utf8())
	if said is Dictionary:
		return said
	return problem


func _base() -> String:
	return address.trim_suffix("/")


func _open() -> void:
	_socket = WebSocketPeer.new()
	_socket.inbound_buffer_size = MAX_INBOUND_BYTES
	_socket.outbound_buffer_size = 4 * MAX_MESSAGE_LENGTH
	var protocols := PackedStringArray(["telos.json"])
	if not token.is_empty():
		protocols.append("telos.bearer." + token)
	_socket.supported_protocols = protocols
	_opening = 0.0
	if _socket.connect_to_url("ws" + _base().trim_prefix("http") + "/v1/stream") != OK:
		_lose(0, "no address of a service")


func _lose(code: int, reason: String) -> void:
	_socket.close()
	_socket = null
	is_online = false
	var longest := longest_retry if code in REFUSED else _retry
	_pause = longest * randf_range(0.5, 1.0)
	_retry = minf(2.0 * _retry, longest_retry)
	offline.emit(reason if not reason.is_empty() else "the connection broke (%d)" % code, _pause)


func _talk() -> void:
	if not is_online:
		is_online = true
		_begin_connection()
		online.emit()
	while _socket != null and _socket.get_available_packet_count() > 0:
		var text := _socket.get_packet().get_string_from_utf8()
		_retry = first_retry
		var said: Variant = JSON.parse_string(text)
		if said is Dictionary and not _hear(said):
			_lose(1013, "the service cannot keep events now")
			return
	while _socket != null:
		var message := _next_message()
		if message.is_empty():
			return
		if _socket.send_text(message) != OK:
			_lose(1006, "the connection broke")


## Begin anew: subscriptions first, then all that is not answered, then what waits.
func _begin_connection() -> void:
	_sent = 0
	_controls.clear()
	if not _wanted.is_empty():
		_controls.append(_control("subscribe", PackedStringArray(_wanted.keys())))


func _control(what: String, players: PackedStringArray) -> String:
	_last += 1
	return JSON.stringify({"seq": _last, what: Array(players)})


func _next_message() -> String:
	if not _controls.is_empty():
		return _controls.pop_front()
	if _sent == _unanswered.size():
		if _sent >= window or _queue.is_empty():
			return ""
		_unanswered.append(_make_message())
	_sent += 1
	return _unanswered[_sent - 1]["text"]


func _make_message() -> Dictionary:
	var items := {}
	var size := 0
	var count := 0
	while count < _queue.size() and count < MAX_MESSAGE_EVENTS:
		var item := _queue[count]
		size += item["text"].length()
		if size >= MAX_MESSAGE_LENGTH:
			break
		if not items.has(item["player"]):
			items[item["player"]] = []
		items[item["player"]].append(item)
		count += 1
	_queue = _queue.slice(count)
	var parts := PackedStringArray()
	for whom: String in items:
		var texts := PackedStringArray()
		for item: Dictionary in items[whom]:
			texts.append(item["text"])
		parts.append('{"player":%s,"events":[%s]}' % [JSON.stringify(whom), ",".join(texts)])
	_last += 1
	var head := {"seq": _last, "skip": true, "quiet": not every_belief}
	if not model.is_empty():
		head["model"] = model
	var start := JSON.stringify(head).trim_suffix("}")
	return {"seq": _last, "items": items, "text": '%s,"batch":[%s]}' % [start, ",".join(parts)]}


## Take a message of the service; false if it could not keep events: the connection begins anew.
func _hear(said: Dictionary) -> bool:
	if said.has("news"):
		for each: Dictionary in said["news"]:
			_learn(each, _last)
		return true
	var problems: Dictionary = said.get("problems", {})
	for problem: Dictionary in problems.values():
		if int(problem.get("status", 0)) in RETRIED:
			return false
	var ack := int(said["ack"])
	if _sent > 0 and _unanswered[0]["seq"] == ack:
		_sent -= 1
		_settle(_unanswered.pop_front(), problems, said.get("refused", []))
	else:
		for problem: Dictionary in problems.values():
			subscription_refused.emit(problem)
	for each: Dictionary in said.get("beliefs", []):
		# An answer may come after news of later events, heard while the message was on its way.
		var known: Dictionary = _beliefs.get(_key(each), {})
		if known.is_empty() or each["seq"] >= known["belief"]["seq"] or known["after"] < ack:
			_learn(each, 0)
	return true


func _key(said: Dictionary) -> String:
	return "%s\n%s" % [said["model"], said["player"]]


func _learn(said: Dictionary, after: int) -> void:
	var known: Dictionary = _beliefs.get(_key(said), {})
	_beliefs[_key(said)] = {"belief": said, "after": after}
	_by_player[said["player"]] = said
	if known.is_empty() or known["belief"] != said:
		belief_changed.emit(said)


## Count the events of an answered message as acknowledged or refused.
func _settle(message: Dictionary, problems: Dictionary, refusals: Array) -> void:
	var by_id := {}
	for each: Dictionary in refusals:
		by_id[each.get("id", "")] = each["problem"]
	for whom: String in message["items"]:
		var whole: Dictionary = problems.get(whom, problems.get("", {}))
		var kept := 0
		for item: Dictionary in message["items"][whom]:
			var found: Dictionary = by_id.get(item["event"]["id"], {})
			if found.is_empty() and not whole.is_empty() and kept >= int(whole.get("accepted", 0)):
				found = whole
			if found.is_empty():
				kept += 1
				acknowledged += 1
			else:
				refused += 1
				event_refused.emit(whom, item["event"], found)


func _tell_dropped() -> void:
	if dropped > _told_dropped:
		events_dropped.emit(dropped - _told_dropped)
		_told_dropped = dropped


func _is_fact(value: Variant) -> bool:
	match typeof(value):
		TYPE_NIL, TYPE_BOOL, TYPE_INT, TYPE_STRING, TYPE_STRING_NAME, TYPE_PACKED_STRING_ARRAY:
			return true
		TYPE_FLOAT:
			return is_finite(value)
		TYPE_ARRAY:
			return value.all(func(each: Variant) -> bool: return each is String)
	return false
