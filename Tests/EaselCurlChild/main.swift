// usage: EaselCurlChild ROUNDS
//
// Says how the loads of each kind ended, and what the process had after a few rounds and after so many more. A process of
// its own, since tests that run beside it open and close things meanwhile.
let rounds = Int(CommandLine.arguments[1])!
let server = try Round.makeServer()
let round = Round(server: server)

func say(_ word: String, _ belongings: Belongings) {
  print("\(word) \(belongings.descriptors) \(belongings.threads) \(belongings.residentBytes)")
}

var ends: Set<String> = []
for _ in 0..<3 { ends.insert(await round.run()) }
say("before", Belongings.now)
for _ in 0..<rounds { ends.insert(await round.run()) }
say("after", Belongings.now)
for end in ends.sorted() { print("ends \(end)") }
server.close()
