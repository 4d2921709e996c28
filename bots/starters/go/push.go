// A push bot in Go (1.19 or newer), with nothing but the standard library.
//
// MONTEGO_BOT_SECRET=whsec_… go run push.go 9001
// (Without the secret, anybody who can reach the port may ask.)
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

var information = map[string]string{"protocol": "montego-bay/1", "name": "go-push", "version": "1", "author": "you"}

// Ask has what this example needs of an ask; add what your bot reads.
type Ask struct {
	LegalActions []json.RawMessage `json:"legal_actions"`
}

// Your idea goes here: return one of ask.LegalActions. This example picks one at random.
func choose(ask Ask) json.RawMessage {
	return ask.LegalActions[rand.Intn(len(ask.LegalActions))]
}

// Standard Webhooks: HMAC-SHA256 over id, time and body, not older than five minutes.
func isSigned(headers http.Header, body []byte) bool {
	secret := strings.TrimSpace(os.Getenv("MONTEGO_BOT_SECRET"))
	if secret == "" {
		return true
	}
	at, err := strconv.ParseInt(headers.Get("webhook-timestamp"), 10, 64)
	age := time.Since(time.Unix(at, 0))
	if err != nil || age > 5*time.Minute || age < -5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%d.%s", headers.Get("webhook-id"), at, body)
	good := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// After a rotation there are two signatures, one for each valid secret.
	for _, one := range strings.Fields(headers.Get("webhook-signature")) {
		if hmac.Equal([]byte(one), []byte(good)) {
			return true
		}
	}
	return false
}

func reply(response http.ResponseWriter, status int, value any) {
	response.Header().Set("Content-Type", "application/json")
	response.WriteHeader(status)
	json.NewEncoder(response).Encode(value)
}

func serve(response http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	call := request.Method + " " + request.URL.Path
	var ask Ask
	switch {
	case err != nil:
		reply(response, 400, map[string]string{"title": err.Error()})
	case call == "GET /":
		reply(response, 200, information)
	case !isSigned(request.Header, body):
		reply(response, 401, map[string]string{"title": "the signature does not fit"})
	case call == "POST /start" || call == "POST /end":
		reply(response, 200, map[string]string{})
	case call != "POST /act":
		reply(response, 404, map[string]string{"title": "there is no " + call})
	case json.Unmarshal(body, &ask) != nil || len(ask.LegalActions) == 0:
		reply(response, 400, map[string]string{"title": "this is no ask"})
	default:
		reply(response, 200, map[string]any{"action": choose(ask)})
	}
}

func main() {
	rand.Seed(time.Now().UnixNano())
	// In a container: 0.0.0.0.
	host := os.Getenv("MONTEGO_BOT_HOST")
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", host+":"+os.Args[1])
	if err != nil {
		panic(err)
	}
	fmt.Printf("listening at http://%s\n", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(serve)))
}
