package chat_test

import "testing"

var printed = map[string]sample{
	"WhatsApp in the United States": {
		"_chat.txt", "[10/12/26, 9:15:01_AM] Crew: Messages and calls are end-to-end encrypted. Tap.\n[10/12/26, 9:15:02\u202fAM] Vera: Where is it?\n[10/13/26, 6:00:00\u202fPM] Bo: In locker 12. \u200e<This message was edited>\n",
		"_chat", "h1 Monday, 12 October 2026\np Vera (09:15): Where is it?\nh1 Tuesday, 13 October 2026\np Bo (18:00): In locker 12.\n",
	},
	"WhatsApp without pictures": {
		"chat.txt", "12.10.26, 09:16 - Vera: Wo?\n12.10.26, 09:20 - Bo: <Medien ausgeschlossen>\n11.11.26, 09:21 - Bo: Spind 12.\n",
		"chat", "h1 Monday, 12 October 2026\np Vera (09:16): Wo?\nh1 Wednesday, 11 November 2026\np Bo (09:21): Spind 12.\n",
	},
	"Discord in text": {
		"ops.txt", "==============================\nGuild: Yard\nChannel: Text / ops\n==============================\n\n[10/12/2026 9:16 AM] vera\nIt leaks.\n\n[10/13/2026 9:20 AM] bo (pinned)\nFixed.\n",
		"ops", "h1 Monday, 12 October 2026\np vera (09:16): It leaks.\nh1 Tuesday, 13 October 2026\np bo (09:20): Fixed.\n",
	},
	"IRC": {
		"yard.log", "--- Log opened Mon Oct 12 09:00:00 2026\n09:16 < vera> It leaks.\n09:17 -!- cy [~cy@host] has joined #yard\n09:20 <@bo> Fixed.\n",
		"yard", "h1 Monday, 12 October 2026\np vera (09:16): It leaks.\np bo (09:20): Fixed.\n",
	},
	"IRC of a bridge": {
		"yard.txt", "[2026-10-12 09:16:10] <vera> It leaks.\n[2026-10-12 09:20:10] <bo> Fixed.\n[2026-10-12 09:21:10] *** cy has quit\n",
		"yard", "h1 Monday, 12 October 2026\np vera (09:16): It leaks.\np bo (09:20): Fixed.\n",
	},
	"LINE": {
		"line.txt", "[LINE] Chat history with Yard\nSaved on: 2026/10/14 10:00\n\n2026/10/12(Mon)\n09:16\tVera\tIt leaks.\n09:20\tBo\tFixed.\n",
		"line", "h1 Monday, 12 October 2026\np Vera (09:16): It leaks.\np Bo (09:20): Fixed.\n",
	},
	"KakaoTalk": {
		"k.txt", "Yard 님과 카카오톡 대화\n저장한 날짜 : 2026-10-14 10:00:00\n\n--------------- 2026년 10월 12일 월요일 ---------------\n[Vera] [오전 9:16] It leaks.\n[Bo] [오후 9:20] Fixed.\n",
		"k", "h1 Monday, 12 October 2026\np Vera (09:16): It leaks.\nh2 21:20\np Bo (21:20): Fixed.\n",
	},
	"Zoom": {
		"chat.txt", "09:16:02\t From Vera Quist to Everyone:\n\tIt leaks.\n09:20:01\t From Bo Lund to Everyone:\n\tFixed.\n",
		"chat", "p Vera Quist (09:16:02): It leaks.\np Bo Lund (09:20:01): Fixed.\n",
	},
	"transcript of a meeting": {
		"t.txt", "Vera Quist   0:03\nIt leaks.\n\nBo Lund   0:10\nFixed.\n\nVera Quist   0:15\nThanks.\n",
		"t", "p Vera Quist (0:03): It leaks.\np Bo Lund (0:10): Fixed.\np Vera Quist (0:15): Thanks.\n",
	},
}

// TestPrinted reads conversations in plain text.
func TestPrinted(t *testing.T) {
	t.Parallel()
	verify(t, printed)
}

var pages = map[string]sample{
	"Telegram in HTML": {
		"messages.html", `<html><head><title>Exported Data</title></head><body><div class="page_header"><div class="text bold">Yard</div></div><div class="page_body chat_page"><div class="history">` +
			`<div class="message default"><div class="body"><div class="pull_right date details" title="12.10.2026 09:16:00 UTC+02:00">09:16</div><div class="from_name">Vera</div><div class="text">It<br>leaks.</div></div></div>` +
			`<div class="message default joined"><div class="body"><div class="reply_to details">In reply</div><div class="text">Badly.</div></div></div></div></div></body></html>`,
		"Yard", "h1 Monday, 12 October 2026\np Vera (09:16): It\\nleaks.\np Vera (09:16): Badly.\n",
	},
	"Discord in HTML": {
		"ops.html", `<html><body><div class="preamble__entry">Yard</div><div class="chatlog"><div class="chatlog__message"><div class="chatlog__reply">Old</div><span class="chatlog__author">Bo</span>` +
			`<span class="chatlog__timestamp" title="Monday, October 12, 2026 9:20 AM">x</span><div class="chatlog__content chatlog__markdown">Locker <b>12</b>.</div></div></div></body></html>`,
		"Yard", "h1 Monday, 12 October 2026\np Bo (09:20): Locker 12.\n",
	},
	"messages of a telephone": {
		"sms.xml", `<?xml version="1.0"?><smses count="2"><sms address="+49171" date="1791187200000" type="1" body="Who has it?" contact_name="Vera" /><sms address="+49171" date="1791190800000" type="2" body="I do." contact_name="null" /></smses>`,
		"sms.xml", "h1 Monday, 5 October 2026\np Vera (08:00): Who has it?\np I, to +49171 (09:00): I do.\n",
	},
}

// TestPages reads conversations in HTML and XML.
func TestPages(t *testing.T) {
	t.Parallel()
	verify(t, pages)
}

var assistants = map[string]sample{
	"assistant that wrote again": {
		"c.json", `[{"title":"Oil","current_node":"c","mapping":{"a":{"message":{"author":{"role":"user"},"create_time":1791187200,"content":{"parts":["Which oil?"]}}},` +
			`"b":{"parent":"a","message":{"author":{"role":"assistant"},"create_time":1791187210,"content":{"parts":["Number 30."]}}},"c":{"parent":"a","message":{"author":{"role":"assistant"},"create_time":1791187220,"content":{"parts":["Number 40."]}}}}}]`,
		"Oil", "h1 Monday, 5 October 2026\np user (08:00): Which oil?\np assistant (08:00): Number 40.\n",
	},
	"Open WebUI": {
		"chats.json", `[{"id":"1","title":"Oil","chat":{"title":"Oil","messages":[{"role":"user","content":"Which oil?","timestamp":1791187200},{"role":"assistant","content":"Number 40.","timestamp":1791187210}]}}]`,
		"Oil", "h1 Monday, 5 October 2026\np user (08:00): Which oil?\np assistant (08:00): Number 40.\n",
	},
	"LibreChat": {
		"c.json", `{"title":"Oil","messages":[{"sender":"User","text":"Which oil?","isCreatedByUser":true,"createdAt":"2026-10-05T08:00:00Z","children":[{"sender":"GPT","text":"Number 40.","isCreatedByUser":false,"createdAt":"2026-10-05T08:01:00Z"}]}]}`,
		"Oil", "h1 Monday, 5 October 2026\np User (08:00): Which oil?\np GPT (08:01): Number 40.\n",
	},
	"Gemini": {
		"MyActivity.json", `[{"header":"Gemini Apps","title":"Prompted Which oil?","time":"2026-10-05T08:00:00.000Z","safeHtmlItem":[{"html":"<p>Number 40.</p>"}]}]`,
		"MyActivity.json", "h1 Monday, 5 October 2026\np user (08:00): Which oil?\np Gemini Apps (08:00): Number 40.\n",
	},
	"direct messages of Mattermost": {
		"bulk.jsonl", "{\"type\":\"channel\"}\n{\"type\":\"post\",\"post\":{\"channel\":\"ops\",\"user\":\"vera\",\"message\":\"It leaks.\",\"create_at\":1791187200000}}\n{\"type\":\"direct_post\",\"direct_post\":{\"channel_members\":[\"vera\",\"bo\"],\"user\":\"bo\",\"message\":\"4711\",\"create_at\":1791187260000}}\n",
		"bulk.jsonl", "h1 #ops\nh2 Monday, 5 October 2026\np vera (08:00): It leaks.\nh1 vera, bo\nh2 Monday, 5 October 2026\np bo (08:01): 4711\n",
	},
}

// TestAssistants reads exports of assistants, and direct messages.
func TestAssistants(t *testing.T) {
	t.Parallel()
	verify(t, assistants)
}
