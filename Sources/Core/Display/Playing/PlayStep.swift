/// Where a player is: in which play, and how many steps into it.
struct PlayStep: Hashable {
  var play: Int
  var step: Int
}
