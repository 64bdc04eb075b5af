#!/usr/bin/env bash
# The step of a GitHub workflow that waits for the gate, as users of Plainwright have it: it must work unchanged.
# GitHub runs it with `bash -e`; PLAINWRIGHT_URL, PROJECT_ID and SECRET come from the repository's secrets.
status_url=$(curl -sf -X POST "$PLAINWRIGHT_URL/api/runs/webhook/$PROJECT_ID" \
  -H "X-Webhook-Secret: $SECRET" -H "Content-Type: application/json" \
  -d '{"triggered_by": "github-actions"}' | jq -r .status_url)
while true; do
  gate=$(curl -sf "$PLAINWRIGHT_URL$status_url" -H "X-Webhook-Secret: $SECRET" | jq -r .gate)
  echo "gate: $gate"
  [ "$gate" != "pending" ] && break
  sleep 15
done
[ "$gate" = "pass" ]
