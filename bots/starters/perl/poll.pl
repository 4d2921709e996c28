#!/usr/bin/env perl
# A poll bot in Perl (5.14 or newer), with nothing but the modules that come with it.
#
# MONTEGO_BOT_TOKEN=… perl poll.pl http://127.0.0.1:8000
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP qw(decode_json encode_json);

my $url = shift // die "usage: MONTEGO_BOT_TOKEN=... perl poll.pl URL\n";
my ($token) = ($ENV{MONTEGO_BOT_TOKEN} // '') =~ /^\s*([!-~]+)\s*$/ or die "MONTEGO_BOT_TOKEN has no token\n";
$url =~ s{/$}{};

my $http = HTTP::Tiny->new(
    timeout         => 60,
    default_headers => { Authorization => "Bearer $token", 'Content-Type' => 'application/json' },
);

# Your idea goes here: return one of the legal actions. This example picks one at random.
sub choose {
    my ($ask) = @_;
    my @actions = @{ $ask->{legal_actions} };
    return $actions[ rand @actions ];
}

# One call. Waits and tries again while the service is down or busy.
sub call {
    my ($method, $path, $body) = @_;
    while (1) {
        my $answer = $http->request($method, $url . $path, $body ? { content => encode_json($body) } : {});
        return decode_json($answer->{content}) if $answer->{success};
        warn "$answer->{status} $answer->{content}\n";
        die "the token is refused\n" if $answer->{status} == 401;
        # HTTP::Tiny gives 599 when it cannot connect.
        return undef if $answer->{status} < 500 && $answer->{status} != 429;
        sleep($answer->{headers}{'retry-after'} || 1);
    }
}

my $cursor;
my %answered;
while (1) {
    my $query = $http->www_form_urlencode({ version => '1', defined $cursor ? (after => $cursor, wait => 25) : () });
    my $found = call('GET', "/v1/bots/me/decisions?$query") // die "the service refuses to list the open decisions\n";
    $cursor = $found->{cursor};
    my %listed;
    for my $ask (@{ $found->{decisions} }) {
        my $key = "$ask->{game} $ask->{decision}{id}";
        $listed{$key} = 1;
        next if $answered{$key};
        call('POST', "/v1/games/$ask->{game}/actions", { decision => $ask->{decision}{id}, action => choose($ask) });
    }
    %answered = %listed;
}
