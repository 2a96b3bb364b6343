package openapi_test

import (
	"context"
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/openapi"
	"docent/ingest/format"
	"docent/ingest/outline"
)

func read(ctx context.Context, name string, data []byte) (*outline.Document, error) {
	return openapi.Format.Read(ctx, &format.File{Name: name, Data: data})
}

// check compares the blocks of a description with the expected ones, in which ´ stands for a
// backquote.
func check(t *testing.T, text, title, want string) *outline.Document {
	t.Helper()
	return extracttest.Check(t, read, []byte(text), title, strings.ReplaceAll(want, "´", "`"))
}

// bookings is a description in YAML with the parts that most have.
const bookings = `
openapi: 3.1.0
info:
  title: Boat Bookings
  version: 2.4.0
  description: |
    Book a boat.
    # Limits
    100 requests a minute.
servers: [{url: 'https://api.example.com/v2', description: Production}]
paths:
  /boats/{id}:
    parameters:
      - $ref: '#/components/parameters/Boat'
    get:
      summary: Get a boat
      operationId: getBoat
      tags: [boats]
      security: [{key: []}]
      parameters:
        - {name: season, in: query, schema: {type: string, enum: [summer, winter], default: summer}}
      responses:
        '200': {description: The boat., content: {application/json: {schema: {$ref: '#/components/schemas/Boat'}}}}
        '404': {description: No such boat.}
    patch:
      summary: Change a boat
      deprecated: true
      requestBody:
        required: true
        content:
          application/json:
            schema: {type: object, required: [name], properties: {name: {type: string, maxLength: 80, description: The new name.}}}
      responses: {'204': {description: Changed.}}
components:
  parameters:
    Boat: {name: id, in: path, required: true, description: Number of the boat., schema: {type: integer, minimum: 1}}
  schemas:
    Boat:
      description: A boat of the fleet.
      allOf:
        - $ref: '#/components/schemas/Thing'
        - type: object
          properties:
            berths: {type: array, items: {type: string, format: uuid}}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
`

func TestDescription(t *testing.T) {
	doc := check(t, bookings, "Boat Bookings", `h1 # Boat Bookings
p Servers: https://api.example.com/v2 (Production)
p Book a boat.
h2 ## Limits
p 100 requests a minute.
h2 ## GET /boats/{id}: Get a boat
p Operation: getBoat. Tags: boats. Authorization: key.
p Parameters:
li - ´id´ (path, integer, required, minimum 1): Number of the boat.
li - ´season´ (query, string, one of ´summer´, ´winter´, default summer)
p Responses:
li - 200 (application/json: ´Boat´): The boat.
li - 404: No such boat.
h2 ## PATCH /boats/{id}: Change a boat
p Deprecated.
p Parameters:
li - ´id´ (path, integer, required, minimum 1): Number of the boat.
p Request body, required:
li - application/json (object)
li - ´name´ (string, required, maximum length 80): The new name.
p Responses:
li - 204: Changed.
h2 ## Type Boat
p A boat of the fleet.
p Type: ´Thing´ and object
li - ´berths´ (array of string (uuid))
h2 ## Authorization
li - ´key´ (apiKey, header, ´X-Key´)
`)
	if doc.Version != "2.4.0" {
		t.Errorf("version %q", doc.Version)
	}
}

// swagger is a description in version 2, in JSON with tabs.
const swagger = `{
	"swagger": "2.0",
	"info": {"title": "Orders", "version": "1"},
	"host": "api.example.com", "basePath": "/v1", "schemes": ["http"],
	"paths": {"/orders": {"post": {
		"summary": "Add an order",
		"parameters": [
			{"in": "body", "name": "order", "required": true, "schema": {"type": "object", "properties": {"amount": {"type": "integer"}}}},
			{"in": "query", "name": "dry", "type": "boolean"}
		],
		"responses": {"201": {"description": "Added", "schema": {"$ref": "#/definitions/Order"}}}
	}}},
	"definitions": {"Order": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Order"}}}}
}`

func TestVersion2(t *testing.T) {
	check(t, swagger, "Orders", `h1 # Orders
p Servers: http://api.example.com/v1
h2 ## POST /orders: Add an order
p Parameters:
li - ´order´ (body, object, required)
li - ´amount´ (integer)
li - ´dry´ (query, boolean)
p Responses:
li - 201 (´Order´): Added
h2 ## Type Order
li - ´next´ (´Order´)
`)
}

func TestSchema(t *testing.T) {
	check(t, `{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title": "Crew", "description": "People on board.",
		"type": "object", "required": ["name"],
		"properties": {
			"name": {"type": ["string", "null"], "description": "Full name."},
			"age": {"type": "integer", "exclusiveMinimum": 17},
			"roles": {"type": "array", "items": {"enum": ["cook", "mate"]}}
		},
		"$defs": {"Port": {"type": "string", "pattern": "^[A-Z]{5}$"}}
	}`, "Crew", `h1 # Crew
p People on board.
li - ´name´ (string or null, required): Full name.
li - ´age´ (integer, above 17)
li - ´roles´ (array, one of ´cook´, ´mate´)
h2 ## Type Port
p Type: string, pattern ´^[A-Z]{5}$´
`)
}

// TestOtherTexts checks that texts that only contain the marks are read as JSON or code.
func TestOtherTexts(t *testing.T) {
	for name, text := range map[string]string{
		"package.json": `{"name": "x", "dependencies": {"openapi": "3.0.0"}}`,
		"broken.json":  `{"openapi": "3.0.0", "info": {`,
		"broken.yaml":  "openapi: 3.0.0\ninfo: [",
	} {
		doc, err := read(context.Background(), name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(strings.Fields(doc.Text), "") != strings.Join(strings.Fields(text), "") {
			t.Errorf("%s: %q", name, doc.Text)
		}
	}
}

// TestAliases checks that aliases that stand for very much text do not fill the memory.
func TestAliases(t *testing.T) {
	var text strings.Builder
	text.WriteString("openapi: 3.0.0\ninfo: {title: Many, version: '1'}\ncomponents:\n  schemas:\n")
	text.WriteString("    A0: &a0 {type: string}\n")
	for level := 1; level < 9; level++ {
		name := string(rune('0' + level))
		text.WriteString("    A" + name + ": &a" + name + "\n      type: object\n      properties:\n")
		for i := range 60 {
			text.WriteString("        p" + string(rune('A'+i%26)) + string(rune('a'+i/26)) + ": *a" + string(rune('0'+level-1)) + "\n")
		}
	}
	doc, err := read(context.Background(), "many.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(doc.Text, "\n"); lines < 10_000 || lines > 250_000 {
		t.Errorf("%d lines", lines)
	}
}

const events = `
asyncapi: 2.6.0
info: {title: Pump events, version: 1.2.0, description: Events of pumps.}
servers: {cellar: {url: mqtt.example.com, protocol: mqtt, description: The broker}}
channels:
  pumps/{id}/pressure:
    description: Readings.
    parameters: {id: {description: The number., schema: {type: string}}}
    subscribe:
      operationId: onPressure
      summary: Receive readings.
      message: {$ref: '#/components/messages/Pressure'}
components:
  messages:
    Pressure: {title: Pressure reading, summary: One reading., contentType: application/json, payload: {$ref: '#/components/schemas/pressure'}}
  schemas:
    pressure: {type: object, required: [bar], properties: {bar: {type: number, description: In bar.}}}
`

const events3 = `{"asyncapi": "3.0.0", "info": {"title": "Accounts", "version": "1"}, "channels": {"signed": {"address": "user/signed", "messages": {"Up": {"$ref": "#/components/messages/Up"}}}},
"operations": {"tell": {"action": "send", "summary": "Tells it.", "channel": {"$ref": "#/channels/signed"}}},
"components": {"messages": {"Up": {"name": "Up", "payload": {"type": "object", "properties": {"email": {"type": "string"}}}}}}}`

const postman = `{"info": {"name": "Pump API", "description": "Controls pumps.", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
"item": [{"name": "Valves", "description": {"content": "All valves"}, "item": [{"name": "Open a valve", "event": [{"script": {"exec": ["pm.test()"]}}],
"request": {"auth": {"bearer": [{"value": "SECRET"}]}, "method": "POST", "header": [{"key": "X-Api-Key", "value": "SECRET"}], "body": {"mode": "raw", "raw": "{\"angle\": 90}", "options": {"raw": {"language": "json"}}},
"url": {"raw": "{{base}}/valves/:id", "query": [{"key": "wait", "value": "true", "description": "Waits"}]}, "description": "Opens it."}, "response": [{"name": "Opened", "status": "OK", "code": 200}]}]},
{"name": "Health", "request": "https://pumps.example.com/health"}], "variable": [{"key": "base", "value": "https://pumps.example.com"}]}`

func TestEvents(t *testing.T) {
	t.Parallel()
	check(t, events, "Pump events", `h1 # Pump events
p Servers: cellar: mqtt.example.com (The broker)
p Events of pumps.
h2 ## pumps/{id}/pressure
p Readings.
p Parameters:
li - ´id´ (string): The number.
p Subscribe (´onPressure´): Receive readings.
p Message Pressure reading:
li - payload (´pressure´, application/json): One reading.
h2 ## Type pressure
li - ´bar´ (number, required): In bar.
`)
	check(t, events3, "Accounts", `h1 # Accounts
h2 ## user/signed: signed
p Send (´tell´): Tells it.
p Message Up:
li - payload (object)
li - ´email´ (string)
`)
}

func TestPostman(t *testing.T) {
	t.Parallel()
	check(t, postman, "Pump API", `h1 # Pump API
p Controls pumps.
h2 ## Valves
p All valves
h3 ### Open a valve
p ´POST {{base}}/valves/:id´
p Opens it.
p Parameters:
li - ´wait´ (´true´): Waits
p Headers:
li - ´X-Api-Key´
p Body:
code ´´´json\n{"angle": 90}\n´´´
p Responses:
li - 200 OK: Opened
h2 ## Health
p ´https://pumps.example.com/health´
h2 ## Variables
li - ´base´: https://pumps.example.com
`)
}

func FuzzDescription(f *testing.F) {
	f.Add([]byte(bookings))
	f.Add([]byte(swagger))
	f.Add([]byte(events))
	f.Add([]byte(events3))
	f.Add([]byte(postman))
	f.Fuzz(func(t *testing.T, data []byte) { extracttest.FuzzRead(t, read, data) })
}
