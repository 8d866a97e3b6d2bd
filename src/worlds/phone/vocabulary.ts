/** Words of all apps and names, so that no phone has a word that a vocabulary lacks. */
import { words } from './data.ts';
import { appNames, days, hours, modes, seats, sections, sizes, switches } from './state.ts';

export function phoneTexts(): string[] {
  const numbers = Array.from({ length: 160 }, (_, k) => String(k));
  return [
    ...Object.values(words).flatMap(([first, second]) => [...first, ...second]),
    ...[...appNames, ...days, ...hours.map(String), ...modes, ...seats.map(String), ...sizes, ...sections],
    ...Object.values(switches).flat(),
    ...numbers,
    'Tap tap 1 hold 1 type 1 set 1 scroll up down left right back home wait enter finish screenshot no answer take over',
    'Messages Calendar Notes Settings Shop Map Music Tickets Home Loading refused above below',
    'Mute Unmute Pin Unpin Delete Cancel Send New message Title Text Save New event Day Hour Reminder reminder No events',
    'New note More Network Display Sound Battery Notifications Brightness Volume Search Cart Order Not now',
    'Place the order? The order is paid from the account. Nothing found The cart is empty tap to remove In the cart',
    'Choose a size Choose how to go Choose an hour and seats The message is empty Title and text are needed Title, day and hour are needed',
    'Allow Deny Location Allow Map to use the location? On the way: by Go by Start List Places Remove saved bakery museum library clinic school hotel cinema theatre',
    'Play Stop Like Unlike Add to playlist Playlists Add to a playlist No songs songs playing liked pinned muted on off chosen focused sold out Sold out',
    'Book? seats at Book Bookings No bookings Cancel the booking? Cancel booking Keep Screenshot saved Wrong password sign in The account is locked. Enter the password. Sign in',
    'Special offer Try the full version for a month? Accept Special dollars events Results Size Add to wishes Remove wish Wish Add to cart Choose a contact Seats',
    'The goal is reached. The goal is not reached. The episode is over. : , ; "',
  ];
}
