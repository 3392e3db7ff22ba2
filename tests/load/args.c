#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kUsage[] =
	"usage: truthclient [-d SECONDS] [-csv FILE] [-id FIRST] MIX...\n"
	"   or: truthclient -c N [-rate R] [-burst N] [-burst-every S] [...] URL\n"
	"  MIX   'CONNS[,key=value...] METHOD URL [BODYFILE]' in one argument after -mix; keys:\n"
	"        rate=R    open loop, R requests/s over the group (default: closed loop)\n"
	"        slow=B    reads B bytes/s on each connection\n"
	"        close=1   one request a connection\n"
	"        once=1    each connection sends one request, after a burst one more\n"
	"        burst=S   opens all its connections at once, again every S seconds\n"
	"        at=S      opens its connections S seconds after the start\n"
	"  URL   http://127.0.0.1:PORT/path; {id} in it becomes the number of the request\n";

static void usage(const char *what, const char *word)
{
	fprintf(stderr, "truthclient: %s: %s\n%s", what, word, kUsage);
	exit(2);
}

static double number(const char *word)
{
	char *end;
	double value = strtod(word, &end);

	if (end == word || *end || !(value >= 0))
		usage("not a number", word);
	return value;
}

static void parse_url(struct mix *mix, const char *url)
{
	const char *path, *id;
	int port = 0;

	if (sscanf(url, "http://%63[^:/]:%d", mix->host, &port) != 2 || port < 1 || port > 65535)
		usage("not http://ADDRESS:PORT/path", url);
	mix->port = (uint16_t)port;
	path = strchr(url + strlen("http://"), '/');
	if (!path)
		path = "/";
	id = strstr(path, "{id}");
	mix->has_id = id != NULL;
	snprintf(mix->before_id, sizeof mix->before_id, "%.*s", id ? (int)(id - path) : 511, path);
	if (id)
		snprintf(mix->after_id, sizeof mix->after_id, "%s", id + 4);
}

static void read_body(struct mix *mix, const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		usage("cannot open", path);
	mix->body = malloc(1 << 20);
	if (!mix->body)
		die("malloc");
	mix->body_len = fread(mix->body, 1, 1 << 20, file);
	fclose(file);
}

static void parse_key(struct mix *mix, char *word)
{
	char *value = strchr(word, '=');

	if (!value)
		usage("not key=value", word);
	*value++ = 0;
	if (!strcmp(word, "rate"))
		mix->rate = number(value);
	else if (!strcmp(word, "slow"))
		mix->slow = number(value);
	else if (!strcmp(word, "close"))
		mix->close = number(value) != 0;
	else if (!strcmp(word, "once"))
		mix->once = number(value) != 0;
	else if (!strcmp(word, "burst"))
		mix->burst_every = number(value);
	else if (!strcmp(word, "at"))
		mix->first_burst = number(value);
	else
		usage("no such key", word);
}

static struct mix *add_mix(struct options *options)
{
	if (options->mix_count == kMaxMixes)
		usage("too many mixes", "-mix");
	return &options->mixes[options->mix_count++];
}

static void parse_mix(struct options *options, const char *text)
{
	struct mix *mix = add_mix(options);
	char *copy = strdup(text), *save, *keys_save, *word;
	char *keys = strtok_r(copy, " ", &save), *method = strtok_r(NULL, " ", &save);
	char *url = strtok_r(NULL, " ", &save), *body = strtok_r(NULL, " ", &save);

	if (!url || strlen(method) >= sizeof mix->method)
		usage("not 'CONNS METHOD URL [BODYFILE]'", text);
	strcpy(mix->method, method);
	word = strtok_r(keys, ",", &keys_save);
	mix->conns = (int)number(word);
	while ((word = strtok_r(NULL, ",", &keys_save)))
		parse_key(mix, word);
	parse_url(mix, url);
	if (body)
		read_body(mix, body);
	free(copy);
}

void parse_arguments(int argc, char **argv, struct options *options)
{
	struct mix one = { .conns = 1, .method = "GET" };
	int i;

	options->duration = 5;
	options->first_id = 1000000000; // ten digits in every id: no prefix of another
	for (i = 1; i < argc && argv[i][0] == '-'; i += 2) {
		const char *flag = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!value)
			usage("wants a value", flag);
		if (!strcmp(flag, "-d"))
			options->duration = number(value);
		else if (!strcmp(flag, "-csv"))
			options->csv = value;
		else if (!strcmp(flag, "-id"))
			options->first_id = (uint64_t)number(value);
		else if (!strcmp(flag, "-mix"))
			parse_mix(options, value);
		else if (!strcmp(flag, "-c") || !strcmp(flag, "-burst"))
			one.conns = (int)number(value);
		else if (!strcmp(flag, "-rate"))
			one.rate = number(value);
		else if (!strcmp(flag, "-burst-every"))
			one.burst_every = number(value);
		else
			usage("no such flag", flag);
	}
	if (i < argc) {
		parse_url(&one, argv[i++]);
		*add_mix(options) = one;
	}
	if (i < argc || !options->mix_count)
		usage("wants", "one URL, or -mix");
	for (i = 0; i < options->mix_count; i++)
		if (options->mixes[i].conns < 1 || options->mixes[i].conns > 4096)
			usage("wants", "1 to 4096 connections");
}
