/// The position of a player: the number of the play, and the step within it.
struct PlayStep: Hashable {
  var play: Int
  var step: Int
}
