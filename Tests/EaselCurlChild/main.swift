// usage: EaselCurlChild ROUNDS
//
// Prints how the loads of each kind ended, and the resources of the process after a few rounds and after ROUNDS more.
// This is a separate process, because other tests would open and close things meanwhile.
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
